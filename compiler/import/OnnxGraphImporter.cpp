#include "compiler/import/OnnxGraphImporter.h"
#include "compiler/import/OutputType.h"
#include <algorithm>

namespace zyxc::importer {

/// Operator set version of a domain; 0 if the model does not import it.
static int64_t opsetOf(const OnnxModel &model, const std::string &domain) {
  auto found = model.opsets.find(domain);
  return found == model.opsets.end() ? 0 : found->second;
}

/// Why a node cannot be imported; "" if it can.
static std::string reasonAgainst(const OnnxModel &model, const OnnxGraph &graph,
                                 const onnx::NodeProto &node) {
  std::string domain = domainOf(node);
  OnnxOpMatch match = findOnnxOp(node, domain, opsetOf(model, domain));
  if (!match.row) {
    return match.reason;
  }
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (!attribute.ref_attr_name().empty()) {
      return fmt::format("attribute '{}' refers to one of a function", attribute.name());
    }
  }
  for (int i = match.row->maxOutputs; i < node.output_size(); ++i) {
    if (graph.used.contains(node.output(i)) && !node.output(i).empty()) {
      return fmt::format("output {} is not supported", i);
    }
  }
  return "";
}

std::vector<UnsupportedNode> unsupportedNodes(const OnnxModel &model, const OnnxGraph &graph) {
  std::vector<UnsupportedNode> nodes;
  for (int i = 0; i < graph.proto->node_size(); ++i) {
    const onnx::NodeProto &node = graph.proto->node(i);
    std::string reason = reasonAgainst(model, graph, node);
    if (!reason.empty()) {
      nodes.push_back({nodeName(node, i), node.op_type(), domainOf(node), std::move(reason)});
    }
  }
  return nodes;
}

Status unsupportedError(const std::vector<UnsupportedNode> &nodes) {
  if (nodes.empty()) {
    return Status::ok();
  }
  constexpr size_t mostNames = 1000; // zyxc inspect lists all
  std::map<std::string, std::string> groups;
  for (size_t i = 0; i < nodes.size() && i < mostNames; ++i) {
    const UnsupportedNode &node = nodes[i];
    std::string op = node.domain.empty() ? node.op : node.domain + "." + node.op;
    std::string &names = groups[fmt::format("{} ({}):", op, node.reason)];
    names += fmt::format("{} '{}'", names.empty() ? "" : ",", node.node);
  }
  std::string list;
  for (const auto &[group, names] : groups) {
    list += fmt::format("{}{}{}", list.empty() ? "" : "; ", group, names);
  }
  if (nodes.size() > mostNames) {
    list += fmt::format("; and {} more", nodes.size() - mostNames);
  }
  return makeError(ErrorCode::Unsupported, "{} node{} not supported: {}", nodes.size(),
                   nodes.size() == 1 ? " is" : "s are", list);
}

std::vector<OnnxValue> declaredInputs(const OnnxModel &model) {
  std::vector<OnnxValue> inputs;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    inputs.push_back(describe(input));
  }
  return inputs;
}

std::vector<OnnxValue> callerInputs(const OnnxModel &model) {
  std::vector<OnnxValue> inputs;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    if (!model.main.initializers.contains(input.name())) {
      inputs.push_back(describe(input));
    }
  }
  return inputs;
}

Status OnnxGraphImporter::checkNames() const {
  auto known = [&](const std::string &name) {
    for (const onnx::ValueInfoProto &input : model.graph().input()) {
      if (input.name() == name) {
        return true;
      }
    }
    return false;
  };
  for (const auto &entry : options.bindings) {
    if (!known(entry.first)) {
      return makeError(ErrorCode::Usage, "the model has no input '{}' to bind", entry.first);
    }
  }
  for (const auto &entry : options.inputShapes) {
    if (!known(entry.first)) {
      return makeError(ErrorCode::Usage, "the model has no input '{}' to give a shape",
                       entry.first);
    }
  }
  return dims.checkNames(options.dims);
}

/// Checks a given shape against the declared one and learns the sizes of open dims.
Status OnnxGraphImporter::bindSymbols(const OnnxValue &input, const Shape &shape,
                                      std::string_view source) {
  if (!input.hasShape) {
    return Status::ok();
  }
  if (shape.size() != input.dims.size()) {
    return makeError(ErrorCode::Usage, "input '{}' has rank {}, but {} has shape {}", input.name,
                     input.dims.size(), source, shapeText(shape));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t expected = dims.bind(input, i, shape[i]);
    if (expected != shape[i]) {
      return makeError(ErrorCode::Usage, "input '{}' has size {} at axis {}, but {} has shape {}",
                       input.name, dim::toString(expected), i, source, shapeText(shape));
    }
  }
  return Status::ok();
}

/// Bound values against the declared types; an initializer may be replaced so, too.
Status OnnxGraphImporter::checkBindings() {
  for (const onnx::ValueInfoProto &declared : model.graph().input()) {
    OnnxValue input = describe(declared);
    auto bound = options.bindings.find(input.name);
    if (bound == options.bindings.end()) {
      continue;
    }
    if (bound->second.dtype() != input.dtype) {
      return makeError(ErrorCode::Usage, "input '{}' is {}, but its bound value is {}", input.name,
                       input.typeName, toString(bound->second.type()));
    }
    ZYXC_RETURN_IF_ERROR(bindSymbols(input, bound->second.shape(), "its bound value"));
  }
  return Status::ok();
}

bool OnnxGraphImporter::hasGivenSizes() const {
  if (!options.dims.empty()) {
    return true;
  }
  for (const OnnxValue &input : declaredInputs(model)) {
    bool isGiven =
        options.bindings.contains(input.name) || options.inputShapes.contains(input.name);
    bool isOpen = !input.hasShape || std::any_of(input.dims.begin(), input.dims.end(),
                                                 [](const OnnxDim &dim) { return !dim.size; });
    if (isGiven && isOpen) {
      return true;
    }
  }
  return false;
}

Expected<Shape> OnnxGraphImporter::inputShape(const OnnxValue &input) const {
  if (auto given = options.inputShapes.find(input.name); given != options.inputShapes.end()) {
    return given->second;
  }
  if (!input.hasShape) {
    return makeError(ErrorCode::Usage,
                     "input '{}' has no declared shape: give it a value of a file, {}=@FILE",
                     input.name, input.name);
  }
  Shape shape;
  for (size_t i = 0; i < input.dims.size(); ++i) {
    shape.push_back(dims.size(input, i));
    if (dim::isSymbolic(shape.back()) && !options.openDims) {
      return makeError(ErrorCode::Usage,
                       "input '{0}' has a dim '{1}' without a size: give it a value of a file, "
                       "{0}=@FILE, or {2}",
                       input.name, input.dims[i].symbol, dimRemedy(shape.back()));
    }
  }
  return shape;
}

Expected<std::vector<OnnxGraphImporter::Input>> OnnxGraphImporter::resolveInputs() {
  ZYXC_RETURN_IF_ERROR(checkNames());
  ZYXC_RETURN_IF_ERROR(checkBindings());
  // Given shapes first: they fix the dims that other inputs use.
  std::vector<OnnxValue> declared = callerInputs(model);
  for (const OnnxValue &input : declared) {
    if (!input.dtype) {
      return makeError(ErrorCode::Unsupported, "input '{}' of {} is not supported", input.name,
                       input.typeName);
    }
    if (auto given = options.inputShapes.find(input.name); given != options.inputShapes.end()) {
      ZYXC_RETURN_IF_ERROR(bindSymbols(input, given->second, "the given value"));
    }
  }
  for (const OnnxValue &input : declared) {
    if (!options.bindings.contains(input.name)) {
      ZYXC_ASSIGN(Shape shape, inputShape(input));
      if (!checkedNumElements(shape)) {
        return makeError(ErrorCode::Input, "input '{}' has a negative dim or too many elements: {}",
                         input.name, sizesText(shape));
      }
      inputs.push_back({input.name, {*input.dtype, std::move(shape)}});
    }
  }
  return inputs;
}

/// A value that the model stores or the caller bound, and the scope that it belongs to.
Expected<Tensor> OnnxGraphImporter::stored(const std::string &name, Scope *&scope) {
  for (size_t i = scopes.size(); i-- > 0;) {
    scope = &scopes[i];
    auto bound = options.bindings.find(name);
    if (i == 0 && bound != options.bindings.end()) {
      return bound->second;
    }
    auto initializer = scope->graph->initializers.find(name);
    if (initializer != scope->graph->initializers.end()) {
      return tensors.read(scope->graph->proto->initializer(initializer->second));
    }
  }
  return makeError(ErrorCode::Unsupported, "'{}' is an output that zyxc does not compute", name);
}

/// The value of a name; nothing for an omitted operand. Initializers become constants on first use.
Expected<std::optional<GraphValue>> OnnxGraphImporter::operand(const std::string &name) {
  if (name.empty()) {
    return std::optional<GraphValue>();
  }
  for (size_t i = scopes.size(); i-- > 0;) {
    if (auto found = scopes[i].values.find(name); found != scopes[i].values.end()) {
      return std::optional(found->second);
    }
    if (scopes[i].graph->initializers.contains(name)) {
      break; // it hides values of the graphs around
    }
  }
  Scope *scope = nullptr;
  ZYXC_ASSIGN(Tensor tensor, stored(name, scope));
  GraphValue value = writer->constant(std::move(tensor));
  ZYXC_RETURN_IF_ERROR(writer->takeStatus());
  scope->values.emplace(name, value);
  return std::optional(value);
}

/// The open sizes of the operands' shapes.
static std::vector<int64_t> openSizes(const GraphWriter &writer,
                                      std::span<const std::optional<GraphValue>> operands) {
  std::vector<int64_t> sizes;
  for (const std::optional<GraphValue> &operand : operands) {
    if (operand && dim::anySymbolic(writer.shapeOf(*operand))) {
      const Shape &shape = writer.shapeOf(*operand);
      sizes.insert(sizes.end(), shape.begin(), shape.end());
    }
  }
  return sizes;
}

/// Says which operand of an operator that needs numbers has open dims.
Status OnnxGraphImporter::checkFixed(std::span<const std::optional<GraphValue>> operands) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] && dim::anySymbolic(writer->shapeOf(*operands[i]))) {
      return makeError(ErrorCode::Unsupported,
                       "its input {} is {}, but this operator needs dims with sizes: give {}", i,
                       toString(writer->typeOf(*operands[i])),
                       dimRemedy(openSizes(*writer, operands)));
    }
  }
  return Status::ok();
}

/// An error of a node that would be none, perhaps, if open dims had sizes.
static Status withRemedy(Status error, std::span<const int64_t> openSizes) {
  bool isSaid = error.message().find("--dim ") != std::string::npos;
  if (isSaid || openSizes.empty()) {
    return error;
  }
  return makeError(ErrorCode::Unsupported, "{}; its operands have open dims: give {}",
                   error.message(), dimRemedy(openSizes));
}

Status OnnxGraphImporter::importNode(int number) {
  const onnx::NodeProto &proto = scopes.back().graph->proto->node(number);
  std::string domain = domainOf(proto);
  int64_t opset = opsetOf(model, domain);
  const OnnxOp &row = *findOnnxOp(proto, domain, opset).row;
  std::vector<std::optional<GraphValue>> operands;
  for (const std::string &name : proto.input()) {
    ZYXC_ASSIGN(std::optional<GraphValue> value, operand(name));
    operands.push_back(value);
  }
  // All inputs of a variadic operator must be there.
  int required =
      row.maxInputs == variadic && row.minInputs > 0 ? proto.input_size() : row.minInputs;
  bool complete = proto.input_size() >= row.minInputs && proto.input_size() <= row.maxInputs;
  for (int i = 0; i < required && complete; ++i) {
    complete = operands[static_cast<size_t>(i)].has_value();
  }
  if (!complete || proto.output_size() < 1) {
    return makeError(ErrorCode::Input,
                     "it has {} input{} and {} output{}: that is too few or too many",
                     proto.input_size(), proto.input_size() == 1 ? "" : "s", proto.output_size(),
                     proto.output_size() == 1 ? "" : "s");
  }
  if (row.dims == Dims::Fixed) {
    ZYXC_RETURN_IF_ERROR(checkFixed(operands));
  }
  std::vector<int64_t> open = openSizes(*writer, operands);
  OnnxNode node(proto, opset, *writer, tensors, *this, std::move(operands), row.dims == Dims::Open);
  Status result = row.handler(node);
  Status written = writer->takeStatus(); // says more than what follows from it
  if (!written.isOk() || !result.isOk()) {
    return withRemedy(written.isOk() ? std::move(result) : std::move(written), open);
  }
  for (size_t i = 0; i < node.results().size(); ++i) {
    if (i < node.numOutputs() && !proto.output(static_cast<int>(i)).empty()) {
      scopes.back().values.emplace(proto.output(static_cast<int>(i)), node.results()[i]);
    }
  }
  return Status::ok();
}

/// The nodes of the innermost graph.
Status OnnxGraphImporter::importNodes() {
  for (int number : scopes.back().graph->order) {
    const onnx::NodeProto &proto = scopes.back().graph->proto->node(number);
    std::string name = nodeName(proto, number);
    std::string outer = std::exchange(current, scopes.back().prefix + name);
    onNode(current);
    Status status = importNode(number);
    if (!status.isOk()) {
      return std::move(status).withContext(fmt::format("node '{}' ({})", name, proto.op_type()));
    }
    current = std::move(outer);
  }
  return Status::ok();
}

Expected<std::vector<GraphValue>>
OnnxGraphImporter::importSubgraph(const onnx::GraphProto &graph,
                                  std::span<const GraphValue> inputs) {
  const OnnxGraph &checked = model.subgraphs.at(&graph);
  if (static_cast<size_t>(graph.input_size()) != inputs.size()) {
    return makeError(ErrorCode::Input, "its subgraph has {} inputs, but {} are needed",
                     graph.input_size(), inputs.size());
  }
  constexpr int64_t mostNodes = 1 << 17; // an unrolled loop in an unrolled loop grows fast
  nestedNodes += graph.node_size();
  if (nestedNodes > mostNodes) {
    return makeError(ErrorCode::Unsupported,
                     "its loops unroll to more than {} nodes: make them shorter", mostNodes);
  }
  ZYXC_RETURN_IF_ERROR(unsupportedError(unsupportedNodes(model, checked)));
  scopes.push_back({&checked, current + "/", {}});
  for (size_t i = 0; i < inputs.size(); ++i) {
    scopes.back().values.emplace(graph.input(static_cast<int>(i)).name(), inputs[i]);
  }
  // After an error, too: the node may be written in another way.
  const size_t depth = scopes.size();
  std::string outer = current;
  Expected<std::vector<GraphValue>> outputs = importScope(graph);
  scopes.resize(depth - 1);
  current = std::move(outer);
  onNode(current);
  return outputs;
}

/// The outputs of the innermost graph.
Expected<std::vector<GraphValue>> OnnxGraphImporter::importScope(const onnx::GraphProto &graph) {
  ZYXC_RETURN_IF_ERROR(importNodes());
  std::vector<GraphValue> outputs;
  for (const onnx::ValueInfoProto &declared : graph.output()) {
    ZYXC_ASSIGN(std::optional<GraphValue> value, operand(declared.name()));
    outputs.push_back(*value);
  }
  return outputs;
}

Expected<std::vector<OnnxGraphImporter::Output>>
OnnxGraphImporter::run(RegionBuilder &sink, std::span<const GraphValue> arguments,
                       std::function<void(const std::string &)> forEachNode) {
  GraphWriter graphWriter(sink, slices);
  writer = &graphWriter;
  onNode = std::move(forEachNode);
  scopes.assign(1, {&model.main, "", {}});
  for (size_t i = 0; i < inputs.size(); ++i) {
    graphWriter.addInput(arguments[i], inputs[i].name);
    scopes[0].values.emplace(inputs[i].name, arguments[i]);
  }
  Status status = importNodes();
  needed = graphWriter.equality();
  clamped = graphWriter.hasClampedSlices();
  ZYXC_RETURN_IF_ERROR(std::move(status));
  std::vector<Output> outputs;
  for (const onnx::ValueInfoProto &declared : model.graph().output()) {
    onNode(declared.name());
    ZYXC_ASSIGN(std::optional<GraphValue> value, operand(declared.name()));
    ZYXC_RETURN_IF_ERROR(
        checkOutputType(describe(declared), sink.typeOf(*value), !hasGivenSizes()));
    outputs.push_back({declared.name(), *value});
  }
  writer = nullptr;
  return outputs;
}

} // namespace zyxc::importer
