#include "compiler/import/OnnxFunctions.h"
#include "compiler/import/OnnxModel.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace zyxc::importer {

using google::protobuf::internal::WireFormatLite;
using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

namespace {

/// A function, with the fields that the packaged schema is too old for.
struct Function {
  const onnx::FunctionProto *proto;
  std::map<std::string, onnx::AttributeProto> defaults; ///< of attributes, by name
};

/// The names and attributes of one call.
struct Call {
  std::string prefix;
  std::unordered_map<std::string, std::string> names; ///< of inputs and outputs
  std::map<std::string, onnx::AttributeProto> attributes;
};

class Inliner {
public:
  explicit Inliner(onnx::ModelProto &model) : model(model) {}
  Status run();

private:
  Status readFunction(const onnx::FunctionProto &proto);
  Status readNewFields(Function &function);
  Status checkSets(const onnx::FunctionProto &proto);
  Status rewrite(onnx::GraphProto &graph, const std::string &prefix, int depth);
  Status append(onnx::NodeProto &&node, int number, NodeList &out, const std::string &prefix,
                int depth);
  Status expand(const Function &function, const onnx::NodeProto &node, const std::string &name,
                NodeList &out, int depth);

  onnx::ModelProto &model;
  std::map<std::pair<std::string, std::string>, Function> functions; ///< by domain and name
  std::unordered_map<std::string, int> calls;                        ///< how many of each name
  int64_t numNodes = 0;
};

} // namespace

static std::string plainDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// Defaults of attributes (field 11) and the name of an overload (13).
Status Inliner::readNewFields(Function &function) {
  const std::string &bytes = function.proto->unknown_fields();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  while (uint32_t tag = stream.ReadTag()) {
    int field = WireFormatLite::GetTagFieldNumber(tag);
    bool isText = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    std::string content;
    if (!isText || (field != 11 && field != 13)) {
      if (!WireFormatLite::SkipField(&stream, tag)) {
        return Status(ErrorCode::Input, "a function is damaged");
      }
      continue;
    }
    uint32_t length = 0;
    if (!stream.ReadVarint32(&length) || !stream.ReadString(&content, static_cast<int>(length))) {
      return Status(ErrorCode::Input, "a function is damaged");
    }
    if (field == 13 && !content.empty()) {
      return makeError(ErrorCode::Unsupported,
                       "function '{}' has overloads, which are not supported",
                       function.proto->name());
    }
    onnx::AttributeProto attribute;
    if (field == 11 && attribute.ParseFromString(content)) {
      std::string name = attribute.name();
      function.defaults.emplace(std::move(name), std::move(attribute));
    }
  }
  return Status::ok();
}

/// The body's operator sets must be those of the model; domains that it alone uses are added.
Status Inliner::checkSets(const onnx::FunctionProto &proto) {
  for (const onnx::OperatorSetIdProto &set : proto.opset_import()) {
    bool found = false;
    for (const onnx::OperatorSetIdProto &own : model.opset_import()) {
      if (plainDomain(own.domain()) != plainDomain(set.domain())) {
        continue;
      }
      found = true;
      if (own.version() != set.version()) {
        return makeError(ErrorCode::Unsupported,
                         "function '{}' uses operator set {} of domain '{}', the model {}: convert "
                         "the model to one version",
                         proto.name(), set.version(), set.domain(), own.version());
      }
    }
    if (!found) {
      *model.add_opset_import() = set;
    }
  }
  return Status::ok();
}

Status Inliner::readFunction(const onnx::FunctionProto &proto) {
  Function function{&proto, {}};
  ZYXC_RETURN_IF_ERROR(readNewFields(function));
  auto key = std::pair(plainDomain(proto.domain()), proto.name());
  if (!functions.emplace(std::move(key), std::move(function)).second) {
    return makeError(ErrorCode::Input, "function '{}' is defined twice", proto.name());
  }
  return Status::ok();
}

static std::string renamed(const Call &call, const std::string &name) {
  if (name.empty()) {
    return name;
  }
  auto found = call.names.find(name);
  return found == call.names.end() ? call.prefix + name : found->second;
}

static void renameNode(const Call &call, onnx::NodeProto &node);

static void renameGraph(const Call &call, onnx::GraphProto &graph) {
  for (auto *values : {graph.mutable_input(), graph.mutable_output()}) {
    for (onnx::ValueInfoProto &value : *values) {
      value.set_name(renamed(call, value.name()));
    }
  }
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    tensor.set_name(renamed(call, tensor.name()));
  }
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    renameNode(call, node);
  }
}

/// Gives the attributes that refer to the call's their values; those that it lacks are dropped.
static void bindAttributes(const Call &call, onnx::NodeProto &node) {
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> bound;
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *bound.Add() = std::move(attribute);
      continue;
    }
    auto given = call.attributes.find(attribute.ref_attr_name());
    if (given != call.attributes.end()) {
      onnx::AttributeProto &value = *bound.Add();
      value = given->second;
      value.set_name(attribute.name());
    }
  }
  *node.mutable_attribute() = std::move(bound);
}

/// All names in a body belong to the function: it sees no others.
static void renameNode(const Call &call, onnx::NodeProto &node) {
  for (auto *names : {node.mutable_input(), node.mutable_output()}) {
    for (std::string &name : *names) {
      name = renamed(call, name);
    }
  }
  // Values from outside come with the attributes of the call and keep their names.
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) {
      renameGraph(call, *attribute.mutable_g());
    }
    for (onnx::GraphProto &graph : *attribute.mutable_graphs()) {
      renameGraph(call, graph);
    }
  }
  bindAttributes(call, node);
}

Status Inliner::expand(const Function &function, const onnx::NodeProto &node,
                       const std::string &name, NodeList &out, int depth) {
  constexpr int mostNested = 32;
  if (depth >= mostNested) {
    return makeError(ErrorCode::Input,
                     "function '{}' calls itself, or calls are nested more than "
                     "{} deep",
                     function.proto->name(), mostNested);
  }
  const onnx::FunctionProto &body = *function.proto;
  if (node.input_size() > body.input_size() || node.output_size() > body.output_size()) {
    return makeError(ErrorCode::Input,
                     "node '{}' gives function '{}' {} inputs and {} outputs, "
                     "which has {} and {}",
                     name, body.name(), node.input_size(), node.output_size(), body.input_size(),
                     body.output_size());
  }
  ZYXC_RETURN_IF_ERROR(checkSets(body));
  // Names of nodes may repeat, those of values must not.
  int use = ++calls[name];
  Call call{use == 1 ? name + "/" : fmt::format("{}#{}/", name, use), {}, function.defaults};
  for (int i = 0; i < body.input_size(); ++i) {
    call.names[body.input(i)] = i < node.input_size() ? node.input(i) : "";
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) {
      continue;
    }
    auto [entry, isNew] = call.names.emplace(body.output(i), node.output(i));
    if (!isNew) {
      return makeError(ErrorCode::Unsupported,
                       "function '{}' gives its input '{}' as an output: put "
                       "an Identity between",
                       body.name(), body.output(i));
    }
  }
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    call.attributes[attribute.name()] = attribute;
  }
  for (int i = 0; i < body.node_size(); ++i) {
    onnx::NodeProto inner = body.node(i);
    inner.set_name(name + "/" + nodeName(inner, i));
    renameNode(call, inner);
    ZYXC_RETURN_IF_ERROR(append(std::move(inner), i, out, "", depth + 1));
  }
  return Status::ok();
}

/// Adds a node, or the nodes that it stands for.
Status Inliner::append(onnx::NodeProto &&node, int number, NodeList &out, const std::string &prefix,
                       int depth) {
  constexpr int64_t mostNodes = 1 << 20;
  if (++numNodes > mostNodes) {
    return makeError(ErrorCode::Unsupported, "its functions stand for more than {} nodes",
                     mostNodes);
  }
  std::string name = prefix + nodeName(node, number);
  auto function = functions.find({domainOf(node), node.op_type()});
  if (function != functions.end()) {
    return expand(function->second, node, name, out, depth);
  }
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) {
      ZYXC_RETURN_IF_ERROR(rewrite(*attribute.mutable_g(), name + "/", depth + 1));
    }
    for (onnx::GraphProto &graph : *attribute.mutable_graphs()) {
      ZYXC_RETURN_IF_ERROR(rewrite(graph, name + "/", depth + 1));
    }
  }
  *out.Add() = std::move(node);
  return Status::ok();
}

Status Inliner::rewrite(onnx::GraphProto &graph, const std::string &prefix, int depth) {
  NodeList nodes;
  nodes.Swap(graph.mutable_node());
  for (int i = 0; i < nodes.size(); ++i) {
    ZYXC_RETURN_IF_ERROR(append(std::move(nodes[i]), i, *graph.mutable_node(), prefix, depth));
  }
  return Status::ok();
}

Status Inliner::run() {
  for (const onnx::FunctionProto &proto : model.functions()) {
    ZYXC_RETURN_IF_ERROR(readFunction(proto));
  }
  return rewrite(*model.mutable_graph(), "", 0);
}

Status inlineFunctions(onnx::ModelProto &model) {
  return model.functions_size() == 0 ? Status::ok() : Inliner(model).run();
}

} // namespace zyxc::importer
