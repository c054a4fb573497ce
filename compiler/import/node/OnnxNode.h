// One ONNX node as its handler sees it: checked inputs and attributes, and a writer for zyx ops.
#pragma once
#include "compiler/import/node/GraphWriter.h"
#include "compiler/import/proto/OnnxTensor.h"
#include <fmt/ranges.h>
#include <onnx/onnx.pb.h>
#include <optional>

namespace zyxc::importer {

/// Imports the subgraphs of a node; values of the graphs around are visible in them.
class SubgraphImporter {
public:
  virtual ~SubgraphImporter() = default;
  /// The values of the subgraph's outputs for these values of its inputs.
  virtual Expected<std::vector<GraphValue>> importSubgraph(const onnx::GraphProto &graph,
                                                           std::span<const GraphValue> inputs) = 0;
};

class OnnxNode {
public:
  OnnxNode(const onnx::NodeProto &proto, int64_t opset, GraphWriter &writer, TensorReader &tensors,
           SubgraphImporter &subgraphs, std::vector<std::optional<GraphValue>> inputs,
           bool takesOpenDims)
      : g(writer), opset(opset), proto(proto), tensors(tensors), subgraphs(subgraphs),
        inputs(std::move(inputs)), takesOpenDims(takesOpenDims) {}

  GraphWriter &g;
  const int64_t opset; ///< version of the operator set of the node's domain

  const std::string &op() const { return proto.op_type(); }
  size_t numInputs() const { return inputs.size(); }
  size_t numOutputs() const { return static_cast<size_t>(proto.output_size()); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i].has_value(); }
  /// Input `i`; it must be there: the operator table says how many are.
  GraphValue in(size_t i) const { return *inputs[i]; }
  const TensorType &type(size_t i) const { return g.typeOf(in(i)); }
  const Shape &shape(size_t i) const { return type(i).shape; }
  int64_t rank(size_t i) const { return type(i).rank(); }

  // Attributes. One of another type than asked for is kept as an error.
  bool hasAttr(std::string_view name) const { return find(name) != nullptr; }
  // Integers beyond maxAttrInt are errors too, except where the name says wide.
  int64_t attrInt(std::string_view name, int64_t otherwise) const;
  int64_t attrWideInt(std::string_view name, int64_t otherwise) const;
  double attrFloat(std::string_view name, double otherwise) const;
  std::string attrString(std::string_view name, std::string otherwise) const;
  std::vector<int64_t> attrInts(std::string_view name, std::vector<int64_t> otherwise = {}) const;
  std::vector<int64_t> attrWideInts(std::string_view name) const;
  std::vector<double> attrFloats(std::string_view name) const;
  std::vector<std::string> attrStrings(std::string_view name,
                                       std::vector<std::string> otherwise = {}) const;
  Expected<Tensor> attrTensor(std::string_view name) const;
  /// Dtype named by an attribute (a TensorProto.DataType).
  Expected<DType> attrDType(std::string_view name, DType otherwise) const;

  /// The subgraph of an attribute; it must be there.
  Expected<const onnx::GraphProto *> attrGraph(std::string_view name) const;
  /// The values of a subgraph's outputs for these values of its inputs.
  Expected<std::vector<GraphValue>> subgraph(const onnx::GraphProto &graph,
                                             std::span<const GraphValue> arguments) const {
    return subgraphs.importSubgraph(graph, arguments);
  }

  /// Value of an input that decides a shape: numbers.
  Expected<Tensor> constant(size_t i) const;
  // Integers of such an input; sizes over open dims too where the operator takes those.
  Expected<std::vector<int64_t>> constantInts(size_t i) const;
  /// A list of integers from input `i` where it is given, else from the attribute.
  Expected<std::vector<int64_t>> intsOf(size_t i, std::string_view attribute) const;
  Expected<int64_t> constantInt(size_t i, int64_t otherwise) const;

  /// Fails if a number is beyond maxAttrInt.
  Status checkSmall(std::span<const int64_t> values) const;

  /// An axis counted from the front, checked against a rank.
  Expected<int64_t> axis(int64_t axis, int64_t rank) const;
  /// Axes as sorted and distinct numbers from the front.
  Expected<std::vector<int64_t>> axes(std::vector<int64_t> axes, int64_t rank) const;

  /// Sets the next output; the status of the writer, so that a handler ends with it.
  Status result(GraphValue value) {
    outputs.push_back(value);
    return g.takeStatus();
  }
  const std::vector<GraphValue> &results() const { return outputs; }

  template <class... Args>
  Status unsupported(fmt::format_string<Args...> format, Args &&...args) const {
    return makeError(ErrorCode::Unsupported, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  Status malformed(fmt::format_string<Args...> format, Args &&...args) const {
    return makeError(ErrorCode::Input, format, std::forward<Args>(args)...);
  }

private:
  const onnx::AttributeProto *find(std::string_view name) const;
  void wrongType(std::string_view name, std::string_view wanted) const;
  Expected<Tensor> constantSizes(size_t i) const;

  const onnx::NodeProto &proto;
  TensorReader &tensors;
  SubgraphImporter &subgraphs;
  std::vector<std::optional<GraphValue>> inputs;
  std::vector<GraphValue> outputs;
  bool takesOpenDims;
};

/// Attribute integers beyond this are refused, so that arithmetic on them cannot overflow.
inline constexpr int64_t maxAttrInt = int64_t(1) << 31;

} // namespace zyxc::importer
