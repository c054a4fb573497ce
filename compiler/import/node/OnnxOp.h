// A row of the table of ONNX operators that can be imported, and the rows of each topic.
#pragma once
#include "compiler/import/node/OnnxNode.h"
#include <climits>

namespace zyxc::importer {

/// Writes the ops of a node and sets its results.
using Handler = Status (*)(OnnxNode &node);

/// Says why a node cannot be imported, from its attributes alone; "" if it can.
using Check = std::string (*)(const onnx::NodeProto &node);

/// Whether shapes of operands, and values that decide shapes, may have sizes over open dims.
enum class Dims : uint8_t { Fixed, Open };
inline constexpr Dims fixedDims = Dims::Fixed;
inline constexpr Dims openDims = Dims::Open;

/// One row of the table. Of several rows for an operator, at most one holds for a version.
struct OnnxOp {
  const char *name; ///< with its domain where that is not ONNX's own: "ai.onnx.ml.Binarizer"
  int since;        ///< first operator set version of this row
  int until;        ///< last one
  int minInputs;
  int maxInputs; ///< any number: INT_MAX
  int maxOutputs;
  Dims dims;
  Handler handler;
  unsigned valueInputs = 0; ///< bit i: the value of input i decides shapes
  Check check = nullptr;
  unsigned conditionInputs =
      0; ///< bit i: input i decides which subgraph is imported, if it is known
};

inline constexpr int newest = INT_MAX;
inline constexpr int variadic = INT_MAX;

// Rows by topic, each in a file of its own.
std::span<const OnnxOp> elementwiseOps();
std::span<const OnnxOp> activationOps();
std::span<const OnnxOp> castOps();
std::span<const OnnxOp> reduceOps();
std::span<const OnnxOp> movementOps();
std::span<const OnnxOp> sliceOps();
std::span<const OnnxOp> indexOps();
std::span<const OnnxOp> orderOps();
std::span<const OnnxOp> shapeOps();
std::span<const OnnxOp> convolutionOps();
std::span<const OnnxOp> poolOps();
std::span<const OnnxOp> normalizationOps();
std::span<const OnnxOp> productOps();
std::span<const OnnxOp> recurrentOps();
std::span<const OnnxOp> controlFlowOps();
std::span<const OnnxOp> lossOps();
std::span<const OnnxOp> attentionOps();
std::span<const OnnxOp> linearAttentionOps();
std::span<const OnnxOp> quantizeOps();
std::span<const OnnxOp> integerProductOps();
std::span<const OnnxOp> resizeOps();
std::span<const OnnxOp> sampleOps();
std::span<const OnnxOp> spectrumOps();
std::span<const OnnxOp> windowFunctionOps();
std::span<const OnnxOp> optimizerOps();
std::span<const OnnxOp> foldOps();
std::span<const OnnxOp> deformOps();

} // namespace zyxc::importer
