// From a checked ONNX model to zyx ops in any GraphBuilder.
#pragma once
#include "compiler/import/OnnxModel.h"
#include "compiler/import/OpenDims.h"
#include "compiler/import/ops/OnnxOps.h"
#include <functional>

namespace zyxc::importer {

/// Nodes of a graph that cannot be imported, in the model's order. Those of subgraphs are left out:
/// a branch that is not taken may hold anything.
std::vector<UnsupportedNode> unsupportedNodes(const OnnxModel &model, const OnnxGraph &graph);
/// One error for all these nodes, those of one operator and reason together; ok for none.
Status unsupportedError(const std::vector<UnsupportedNode> &nodes);

/// Graph inputs, in the model's order; those that are no initializers.
std::vector<OnnxValue> declaredInputs(const OnnxModel &model);
std::vector<OnnxValue> callerInputs(const OnnxModel &model);

class OnnxGraphImporter : private SubgraphImporter {
public:
  struct Input {
    std::string name;
    TensorType type;
  };
  struct Output {
    std::string name;
    GraphValue value;
  };

  /// `equalities`: sizes of variables that former attempts found to be needed.
  OnnxGraphImporter(const OnnxModel &model, const ImportOptions &options,
                    const dim::Bindings &equalities, OpenSlices slices)
      : model(model), options(options), slices(slices), tensors(model.folder(), model.proto),
        dims(declaredInputs(model), options.dims, equalities) {}

  /// Names and types of the inputs that are not bound: the arguments of run.
  Expected<std::vector<Input>> resolveInputs();

  /// Writes all nodes to `sink`. `arguments` are values of it, one per input of resolveInputs;
  /// `forEachNode` is called with the name of each node before its ops are written.
  Expected<std::vector<Output>> run(RegionBuilder &sink, std::span<const GraphValue> arguments,
                                    std::function<void(const std::string &)> forEachNode);
  /// After a failed run: a variable and the size that an op needs it to have, if that was why.
  const std::optional<std::pair<std::string, int64_t>> &equality() const { return needed; }
  /// After a run: whether a slice was clamped at open sizes.
  bool hasClampedSlices() const { return clamped; }

private:
  Status checkNames() const;
  Status checkBindings();
  Status bindSymbols(const OnnxValue &input, const Shape &shape, std::string_view source);
  /// Whether the caller gave sizes to dims that the model leaves open.
  bool hasGivenSizes() const;
  Expected<Shape> inputShape(const OnnxValue &input) const;
  /// The values of a graph that is being imported; those of the graphs around are visible.
  struct Scope {
    const OnnxGraph *graph;
    std::string prefix; ///< of the names of its nodes: "If_0/"
    std::unordered_map<std::string, GraphValue> values;
  };

  Expected<std::vector<GraphValue>> importSubgraph(const onnx::GraphProto &graph,
                                                   std::span<const GraphValue> inputs) override;
  Expected<std::vector<GraphValue>> importScope(const onnx::GraphProto &graph);
  Status importNodes();
  Status importNode(int number);
  Status checkFixed(std::span<const std::optional<GraphValue>> operands) const;
  Expected<std::optional<GraphValue>> operand(const std::string &name);
  Expected<Tensor> stored(const std::string &name, Scope *&scope);

  const OnnxModel &model;
  const ImportOptions &options;
  const OpenSlices slices;
  TensorReader tensors;
  OpenDims dims;
  std::optional<std::pair<std::string, int64_t>> needed;
  bool clamped = false;
  std::vector<Input> inputs;
  GraphWriter *writer = nullptr;
  std::vector<Scope> scopes; ///< the main graph first
  std::function<void(const std::string &)> onNode;
  std::string current; ///< name of the node that is being imported
  int64_t nestedNodes = 0;
};

} // namespace zyxc::importer
