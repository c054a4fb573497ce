#include "compiler/import/OnnxModel.h"
#include "compiler/import/OnnxFunctions.h"
#include "compiler/import/proto/OnnxTensor.h"
#include "runtime/support/File.h"
#include <algorithm>
#include <filesystem>

namespace zyxc::importer {

std::string OnnxModel::folder() const {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string domainOf(const onnx::NodeProto &node) {
  return node.domain() == "ai.onnx" ? "" : node.domain();
}

std::string nodeName(const onnx::NodeProto &node, int number) {
  return node.name().empty() ? fmt::format("{}_{}", node.op_type(), number) : node.name();
}

OnnxValue describe(const onnx::ValueInfoProto &value) {
  OnnxValue result;
  result.name = value.name();
  const onnx::TypeProto &type = value.type();
  switch (type.value_case()) {
  case onnx::TypeProto::kTensorType: break;
  case onnx::TypeProto::kSequenceType: result.typeName = "sequence"; return result;
  case onnx::TypeProto::kMapType: result.typeName = "map"; return result;
  case onnx::TypeProto::kOptionalType: result.typeName = "optional"; return result;
  case onnx::TypeProto::kSparseTensorType: result.typeName = "sparse tensor"; return result;
  case onnx::TypeProto::VALUE_NOT_SET: result.typeName = "no type"; return result;
  }
  const onnx::TypeProto::Tensor &tensor = type.tensor_type();
  result.dtype = dtypeOfOnnx(tensor.elem_type());
  result.typeName = onnxTypeName(tensor.elem_type());
  result.hasShape = tensor.has_shape();
  for (const auto &dim : tensor.shape().dim()) {
    OnnxDim entry;
    // Some exporters write -1, or the name "?", for a size that they do not know.
    if (dim.has_dim_value() && dim.dim_value() != -1) {
      entry.size = dim.dim_value();
    } else if (dim.dim_param() != "?") {
      entry.symbol = dim.dim_param();
    }
    result.dims.push_back(std::move(entry));
  }
  return result;
}

static Expected<std::shared_ptr<onnx::ModelProto>> parseFile(const std::string &path) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  if (file.size() >= size_t(1) << 31) {
    return makeError(ErrorCode::Input,
                     "{}: over protobuf's limit of 2 GB: save its weights as external data", path);
  }
  // From one block of memory each weight is copied once, into a string of the right size.
  ZYXC_ASSIGN(MappedBytes content, file.map());
  auto proto = std::make_shared<onnx::ModelProto>();
  if (!proto->ParseFromArray(content.data, static_cast<int>(content.size))) {
    return makeError(ErrorCode::Input,
                     "{}: not an ONNX model, or damaged: it does not parse as a ModelProto", path);
  }
  if (!proto->has_graph() || proto->graph().output().empty()) {
    return makeError(ErrorCode::Input, "{}: not an ONNX model: it has no graph with outputs", path);
  }
  // A node takes two bytes in a file and some hundred in memory.
  constexpr int mostNodes = 1 << 20;
  if (proto->graph().node_size() > mostNodes) {
    return makeError(ErrorCode::Input, "{}: its graph has {} nodes: at most {} are supported", path,
                     proto->graph().node_size(), mostNodes);
  }
  return proto;
}

Status oneLine(const Status &error) {
  std::string text = error.message();
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, '?');
  return Status(error.code(), std::move(text));
}

/// Checks the names of inputs, initializers, node outputs and graph outputs, in subgraphs too.
class NameCheck {
public:
  /// `outer` is the check of the graph around, whose names are visible.
  NameCheck(OnnxModel &model, OnnxGraph &result, const NameCheck *outer)
      : model(model), result(result), graph(*result.proto), outer(outer),
        depth(outer ? outer->depth + 1 : 0) {}

  Status run() {
    ZYXC_RETURN_IF_ERROR(defineInputs());
    ZYXC_RETURN_IF_ERROR(defineNodeOutputs());
    ZYXC_RETURN_IF_ERROR(resolveUses());
    return orderNodes();
  }

  /// Names of outer graphs that this one and its subgraphs read.
  std::unordered_set<std::string> captured;

private:
  static Status malformed(std::string text) { return Status(ErrorCode::Input, std::move(text)); }

  Status defineInputs() {
    for (const onnx::ValueInfoProto &input : graph.input()) {
      if (input.name().empty() || !defined.emplace(input.name(), outside).second) {
        return malformed(
            fmt::format("graph input '{}' is declared twice or has no name", input.name()));
      }
    }
    for (int i = 0; i < graph.initializer_size(); ++i) {
      const std::string &name = graph.initializer(i).name();
      if (name.empty() || !result.initializers.emplace(name, i).second) {
        return malformed(fmt::format("initializer '{}' occurs twice or has no name", name));
      }
      defined.emplace(name, outside);
    }
    if (graph.sparse_initializer_size() > 0) {
      return Status(ErrorCode::Unsupported, "sparse initializers are not supported: save the "
                                            "model with dense ones");
    }
    return Status::ok();
  }

  Status defineNodeOutputs() {
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const std::string &name : graph.node(i).output()) {
        if (!name.empty() && !defined.emplace(name, i).second) {
          return malformed(fmt::format("node '{}' defines '{}', which is defined already",
                                       nodeName(graph.node(i), i), name));
        }
      }
    }
    return Status::ok();
  }

  bool isVisible(const std::string &name) const {
    return defined.contains(name) || (outer && outer->isVisible(name));
  }

  /// A name that is read: one of this graph or of an outer one.
  void use(const std::string &name) {
    result.used.insert(name);
    if (!defined.contains(name)) {
      captured.insert(name);
    }
  }

  Status resolveUses() {
    reads.resize(static_cast<size_t>(graph.node_size()));
    for (int i = 0; i < graph.node_size(); ++i) {
      std::unordered_set<std::string> &names = reads[static_cast<size_t>(i)];
      for (const std::string &name : graph.node(i).input()) {
        if (!name.empty() && !isVisible(name)) {
          return malformed(fmt::format("node '{}' reads '{}', which nothing defines",
                                       nodeName(graph.node(i), i), name));
        }
        names.insert(name);
      }
      ZYXC_RETURN_IF_ERROR(checkSubgraphs(graph.node(i), names));
      names.erase("");
      for (const std::string &name : names) {
        use(name);
      }
    }
    std::unordered_set<std::string> outputs;
    for (const onnx::ValueInfoProto &output : graph.output()) {
      if (!isVisible(output.name())) {
        return malformed(
            fmt::format("graph output '{}' is not defined by any node", output.name()));
      }
      // The branches of an If may give one value twice.
      if (!outputs.insert(output.name()).second && !outer) {
        return malformed(fmt::format("graph output '{}' is declared twice", output.name()));
      }
      use(output.name());
    }
    return Status::ok();
  }

  /// Adds what the node's subgraphs read of this graph to `names`.
  Status checkSubgraphs(const onnx::NodeProto &node, std::unordered_set<std::string> &names) {
    constexpr int mostNested = 32;
    Status status;
    forEachSubgraph(node, [&](const onnx::GraphProto &subgraph) {
      if (!status.isOk()) {
        return;
      }
      if (depth >= mostNested) {
        status = malformed(fmt::format("subgraphs are nested more than {} deep", mostNested));
        return;
      }
      OnnxGraph &entry = model.subgraphs[&subgraph];
      entry.proto = &subgraph;
      NameCheck check(model, entry, this);
      status = check.run();
      names.insert(check.captured.begin(), check.captured.end());
    });
    return status;
  }

  /// Kahn's algorithm; nodes that are ready keep the order of the file.
  Status orderNodes() {
    std::vector<int> waiting(graph.node_size(), 0);
    std::vector<std::vector<int>> users(graph.node_size());
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const std::string &name : reads[static_cast<size_t>(i)]) {
        auto producer = defined.find(name);
        if (producer != defined.end() && producer->second != outside) {
          users[producer->second].push_back(i);
          ++waiting[i];
        }
      }
    }
    // A heap of ready nodes, smallest number first.
    std::vector<int> ready;
    for (int i = graph.node_size(); i-- > 0;) {
      if (waiting[i] == 0) {
        ready.push_back(i);
      }
    }
    std::make_heap(ready.begin(), ready.end(), std::greater<>());
    while (!ready.empty()) {
      std::pop_heap(ready.begin(), ready.end(), std::greater<>());
      int node = ready.back();
      ready.pop_back();
      result.order.push_back(node);
      for (int user : users[node]) {
        if (--waiting[user] == 0) {
          ready.push_back(user);
          std::push_heap(ready.begin(), ready.end(), std::greater<>());
        }
      }
    }
    if (result.order.size() == static_cast<size_t>(graph.node_size())) {
      return Status::ok();
    }
    auto stuck = std::find_if(waiting.begin(), waiting.end(), [](int n) { return n > 0; });
    int node = static_cast<int>(stuck - waiting.begin());
    return malformed(fmt::format("node '{}' is part of a cycle or depends on one",
                                 nodeName(graph.node(node), node)));
  }

  static constexpr int outside = -1; ///< defined by no node
  OnnxModel &model;
  OnnxGraph &result;
  const onnx::GraphProto &graph;
  const NameCheck *outer;
  const int depth;
  std::unordered_map<std::string, int> defined;       ///< producer of each name
  std::vector<std::unordered_set<std::string>> reads; ///< by each node and its subgraphs
};

Expected<OnnxModel> loadOnnxModel(const std::string &path) {
  OnnxModel model;
  model.path = path;
  ZYXC_ASSIGN(std::shared_ptr<onnx::ModelProto> proto, parseFile(path));
  Status inlined = inlineFunctions(*proto);
  if (!inlined.isOk()) {
    return oneLine(inlined).withContext(path);
  }
  model.proto = std::move(proto);
  for (const onnx::OperatorSetIdProto &set : model.proto->opset_import()) {
    model.opsets[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
  }
  if (model.opsets.empty()) {
    model.opsets[""] = 1; // files before IR 3 name no operator set
  }
  model.main.proto = &model.graph();
  Status status = NameCheck(model, model.main, nullptr).run();
  if (!status.isOk()) {
    return oneLine(status).withContext(path);
  }
  return model;
}

} // namespace zyxc::importer
