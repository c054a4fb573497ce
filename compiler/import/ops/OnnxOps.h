// The table of ONNX operators that can be imported: one row per operator and range of versions.
#pragma once
#include "compiler/import/ops/OnnxNode.h"
#include <climits>
#include <functional>

namespace zyxc::importer {

/// Writes the ops of a node and sets its results.
using Handler = Status (*)(OnnxNode &node);

/// Says why a node cannot be imported, from its attributes alone; "" if it can.
using Check = std::string (*)(const onnx::NodeProto &node);

/// One row of the table. Of several rows for an operator, at most one holds for a version.
struct OnnxOp {
  const char *name;
  int since; ///< first operator set version of this row
  int until; ///< last one
  int minInputs;
  int maxInputs; ///< any number: INT_MAX
  int maxOutputs;
  Handler handler;
  unsigned valueInputs = 0; ///< bit i: the value of input i decides shapes
  Check check = nullptr;
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
std::span<const OnnxOp> shapeOps();
std::span<const OnnxOp> convolutionOps();
std::span<const OnnxOp> poolOps();
std::span<const OnnxOp> normalizationOps();
std::span<const OnnxOp> productOps();

/// Calls f with each row of the table.
void forEachOnnxOp(const std::function<void(const OnnxOp &)> &f);

/// The row of a node of ONNX's own domain, or why there is none.
struct OnnxOpMatch {
  const OnnxOp *row = nullptr;
  std::string reason;
};
OnnxOpMatch findOnnxOp(const onnx::NodeProto &node, const std::string &domain, int64_t opset);

} // namespace zyxc::importer
