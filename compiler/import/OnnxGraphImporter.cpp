#include "compiler/import/OnnxGraphImporter.h"

namespace zyxc::importer {

/// Operator set version of a domain; 0 if the model does not import it.
static int64_t opsetOf(const OnnxModel &model, const std::string &domain) {
  auto found = model.opsets.find(domain);
  return found == model.opsets.end() ? 0 : found->second;
}

/// Why a node cannot be imported; "" if it can.
static std::string reasonAgainst(const OnnxModel &model, const onnx::NodeProto &node) {
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
    if (model.used.contains(node.output(i)) && !node.output(i).empty()) {
      return fmt::format("output {} is not supported", i);
    }
  }
  return "";
}

std::vector<UnsupportedNode> unsupportedNodes(const OnnxModel &model) {
  std::vector<UnsupportedNode> nodes;
  for (int i = 0; i < model.graph().node_size(); ++i) {
    const onnx::NodeProto &node = model.graph().node(i);
    std::string reason = reasonAgainst(model, node);
    if (!reason.empty()) {
      nodes.push_back({nodeName(node, i), node.op_type(), domainOf(node), std::move(reason)});
    }
  }
  return nodes;
}

std::vector<OnnxValue> callerInputs(const OnnxModel &model) {
  std::vector<OnnxValue> inputs;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    if (!model.initializers.contains(input.name())) {
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
  return Status::ok();
}

/// Checks a given shape against the declared one and learns the sizes of symbolic dims.
Status OnnxGraphImporter::bindSymbols(const OnnxValue &input, const Shape &shape,
                                      std::string_view source) {
  if (!input.hasShape) {
    return Status::ok();
  }
  if (shape.size() != input.dims.size()) {
    return makeError(ErrorCode::Input, "input '{}' has rank {}, but {} has shape {}", input.name,
                     input.dims.size(), source, shapeText(shape));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const OnnxDim &dim = input.dims[i];
    int64_t expected = dim.size.value_or(shape[i]);
    if (!dim.symbol.empty()) {
      expected = symbols.try_emplace(dim.symbol, shape[i]).first->second;
    }
    if (expected != shape[i]) {
      return makeError(ErrorCode::Input, "input '{}' has size {} at axis {}, but {} has shape {}",
                       input.name, expected, i, source, shapeText(shape));
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
      return makeError(ErrorCode::Input, "input '{}' is {}, but its bound value is {}", input.name,
                       input.typeName, toString(bound->second.type()));
    }
    ZYXC_RETURN_IF_ERROR(bindSymbols(input, bound->second.shape(), "its bound value"));
  }
  return Status::ok();
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
  for (const OnnxDim &dim : input.dims) {
    auto symbol = symbols.find(dim.symbol);
    if (!dim.size && (dim.symbol.empty() || symbol == symbols.end())) {
      return makeError(
          ErrorCode::Usage,
          "input '{}' has a dim '{}' without a size: give it a value of a file, {}=@FILE",
          input.name, dim.symbol, input.name);
    }
    shape.push_back(dim.size ? *dim.size : symbol->second);
  }
  return shape;
}

Expected<std::vector<OnnxGraphImporter::Input>> OnnxGraphImporter::resolveInputs() {
  ZYXC_RETURN_IF_ERROR(checkNames());
  ZYXC_RETURN_IF_ERROR(checkBindings());
  // Given shapes first: they fix the symbols that other inputs use.
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
        return makeError(ErrorCode::Input,
                         "input '{}' has a negative dim or too many elements: "
                         "[{}]",
                         input.name, fmt::join(shape, ","));
      }
      inputs.push_back({input.name, {*input.dtype, std::move(shape)}});
    }
  }
  return inputs;
}

/// The value of a name; nothing for an omitted operand. Initializers become constants on first use.
Expected<std::optional<GraphValue>> OnnxGraphImporter::operand(const std::string &name) {
  if (name.empty()) {
    return std::optional<GraphValue>();
  }
  if (auto found = values.find(name); found != values.end()) {
    return std::optional(found->second);
  }
  Tensor tensor;
  if (auto bound = options.bindings.find(name); bound != options.bindings.end()) {
    tensor = bound->second;
  } else if (auto initializer = model.initializers.find(name);
             initializer != model.initializers.end()) {
    ZYXC_ASSIGN(tensor, tensors.read(model.graph().initializer(initializer->second)));
  } else {
    return makeError(ErrorCode::Unsupported, "'{}' is an output that zyxc does not compute", name);
  }
  GraphValue value = writer->constant(std::move(tensor));
  ZYXC_RETURN_IF_ERROR(writer->takeStatus());
  values.emplace(name, value);
  return std::optional(value);
}

Status OnnxGraphImporter::importNode(int number) {
  const onnx::NodeProto &proto = model.graph().node(number);
  std::string domain = domainOf(proto);
  int64_t opset = opsetOf(model, domain);
  const OnnxOp &row = *findOnnxOp(proto, domain, opset).row;
  std::vector<std::optional<GraphValue>> operands;
  for (const std::string &name : proto.input()) {
    ZYXC_ASSIGN(std::optional<GraphValue> value, operand(name));
    operands.push_back(value);
  }
  // All inputs of a variadic operator must be there.
  int required = row.maxInputs == variadic ? proto.input_size() : row.minInputs;
  bool complete = proto.input_size() >= row.minInputs && proto.input_size() <= row.maxInputs;
  for (int i = 0; i < required && complete; ++i) {
    complete = operands[static_cast<size_t>(i)].has_value();
  }
  if (!complete || proto.output_size() < 1) {
    return makeError(ErrorCode::Input,
                     "{} inputs are given and {} outputs named: that is too few "
                     "or too many",
                     proto.input_size(), proto.output_size());
  }
  OnnxNode node(proto, opset, *writer, tensors, std::move(operands));
  ZYXC_RETURN_IF_ERROR(row.handler(node));
  ZYXC_RETURN_IF_ERROR(writer->takeStatus());
  for (size_t i = 0; i < node.results().size(); ++i) {
    if (i < node.numOutputs() && !proto.output(static_cast<int>(i)).empty()) {
      values.emplace(proto.output(static_cast<int>(i)), node.results()[i]);
    }
  }
  return Status::ok();
}

Expected<std::vector<OnnxGraphImporter::Output>>
OnnxGraphImporter::run(GraphBuilder &sink, std::span<const GraphValue> arguments,
                       const std::function<void(const std::string &)> &onNode) {
  GraphWriter graphWriter(sink);
  writer = &graphWriter;
  for (size_t i = 0; i < inputs.size(); ++i) {
    graphWriter.addInput(arguments[i], inputs[i].name);
    values.emplace(inputs[i].name, arguments[i]);
  }
  for (int number : model.order) {
    const onnx::NodeProto &proto = model.graph().node(number);
    std::string name = nodeName(proto, number);
    onNode(name);
    Status status = importNode(number);
    if (!status.isOk()) {
      return std::move(status).withContext(fmt::format("node '{}' ({})", name, proto.op_type()));
    }
  }
  std::vector<Output> outputs;
  for (const onnx::ValueInfoProto &declared : model.graph().output()) {
    onNode(declared.name());
    ZYXC_ASSIGN(std::optional<GraphValue> value, operand(declared.name()));
    OnnxValue type = describe(declared);
    if (type.dtype && *type.dtype != sink.typeOf(*value).dtype) {
      return makeError(ErrorCode::Input, "output '{}' is declared {}, but its value is {}",
                       declared.name(), type.typeName, toString(sink.typeOf(*value)));
    }
    outputs.push_back({declared.name(), *value});
  }
  writer = nullptr;
  return outputs;
}

} // namespace zyxc::importer
