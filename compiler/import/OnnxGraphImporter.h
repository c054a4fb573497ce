// From a checked ONNX model to zyx ops in any GraphBuilder.
#pragma once
#include "compiler/import/OnnxModel.h"
#include "compiler/import/ops/OnnxOps.h"
#include <functional>

namespace zyxc::importer {

/// Nodes that cannot be imported, in the model's order.
std::vector<UnsupportedNode> unsupportedNodes(const OnnxModel &model);

/// Graph inputs that are no initializers, in the model's order.
std::vector<OnnxValue> callerInputs(const OnnxModel &model);

class OnnxGraphImporter {
public:
  struct Input {
    std::string name;
    TensorType type;
  };
  struct Output {
    std::string name;
    GraphValue value;
  };

  OnnxGraphImporter(const OnnxModel &model, const ImportOptions &options)
      : model(model), options(options), tensors(model.folder(), model.proto) {}

  /// Names and types of the inputs that are not bound: the arguments of run.
  Expected<std::vector<Input>> resolveInputs();

  /// Writes all nodes to `sink`. `arguments` are values of it, one per input of resolveInputs;
  /// `onNode` is called with the name of each node before its ops are written.
  Expected<std::vector<Output>> run(GraphBuilder &sink, std::span<const GraphValue> arguments,
                                    const std::function<void(const std::string &)> &onNode);

private:
  Status checkNames() const;
  Status checkBindings();
  Status bindSymbols(const OnnxValue &input, const Shape &shape, std::string_view source);
  Expected<Shape> inputShape(const OnnxValue &input) const;
  Status importNode(int number);
  Expected<std::optional<GraphValue>> operand(const std::string &name);

  const OnnxModel &model;
  const ImportOptions &options;
  TensorReader tensors;
  std::map<std::string, int64_t> symbols; ///< sizes of symbolic dims
  std::vector<Input> inputs;
  GraphWriter *writer = nullptr;
  std::unordered_map<std::string, GraphValue> values;
};

} // namespace zyxc::importer
