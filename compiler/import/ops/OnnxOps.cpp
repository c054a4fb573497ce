#include "compiler/import/ops/OnnxOps.h"

namespace zyxc::importer {

static constexpr std::span<const OnnxOp> (*topics[])() = {
    elementwiseOps, activationOps,     castOps,
    reduceOps,      movementOps,       sliceOps,
    indexOps,       orderOps,          shapeOps,
    convolutionOps, poolOps,           normalizationOps,
    productOps,     recurrentOps,      controlFlowOps,
    lossOps,        attentionOps,      linearAttentionOps,
    quantizeOps,    integerProductOps, resizeOps,
    sampleOps,      spectrumOps,       windowFunctionOps,
    optimizerOps,   foldOps,           deformOps};

void forEachOnnxOp(const std::function<void(const OnnxOp &)> &f) {
  for (auto topic : topics) {
    for (const OnnxOp &row : topic()) {
      f(row);
    }
  }
}

OnnxOpMatch findOnnxOp(const onnx::NodeProto &node, const std::string &domain, int64_t opset) {
  std::string name = domain.empty() ? node.op_type() : domain + "." + node.op_type();
  bool otherVersions = false;
  for (auto topic : topics) {
    for (const OnnxOp &row : topic()) {
      if (row.name != name) {
        continue;
      }
      if (opset >= row.since && opset <= row.until) {
        std::string reason = row.check ? row.check(node) : "";
        return {reason.empty() ? &row : nullptr, reason};
      }
      otherVersions = true;
    }
  }
  if (!otherVersions && !domain.empty()) {
    return {nullptr, "no such operator of another domain in zyxc's table"};
  }
  return {nullptr, otherVersions
                       ? fmt::format("not supported in operator set {}: convert the model to a "
                                     "newer one",
                                     opset)
                       : "no such operator in zyxc's table"};
}

} // namespace zyxc::importer
