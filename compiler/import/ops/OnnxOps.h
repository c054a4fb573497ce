// The table of ONNX operators that can be imported: one row per operator and range of versions.
#pragma once
#include "compiler/import/node/OnnxOp.h"
#include <functional>

namespace zyxc::importer {

/// Calls f with each row of the table.
void forEachOnnxOp(const std::function<void(const OnnxOp &)> &f);

/// The row of a node, or why there is none. `opset` is the version of its domain's set.
struct OnnxOpMatch {
  const OnnxOp *row = nullptr;
  std::string reason;
};
OnnxOpMatch findOnnxOp(const onnx::NodeProto &node, const std::string &domain, int64_t opset);

} // namespace zyxc::importer
