// Conversions between dtypes.
#include "compiler/import/ops/elementwise/Cast.h"
#include "compiler/import/node/OnnxOp.h"

namespace zyxc::importer {

/// Largest finite value of an 8-bit float: what ONNX saturates to, from infinities too.
static std::optional<double> saturationLimit(DType dtype) {
  switch (dtype) {
  case DType::F8E4M3FN: return 448.0;
  case DType::F8E5M2: return 57344.0;
  default: return std::nullopt;
  }
}

GraphValue castAsOnnx(OnnxNode &n, GraphValue x, DType to) {
  DType from = n.g.dtypeOf(x);
  std::optional<double> limit = saturationLimit(to);
  bool wider = isFloat(from) && byteSize(from) > 1;
  if (limit && wider && n.attrInt("saturate", 1) != 0) {
    // NaN wins in max and min, so it stays NaN.
    x = n.g.binary(OpKind::Min, n.g.binary(OpKind::Max, x, -*limit), *limit);
  }
  if (isFloat(from) && isSubByte(to) && !isFloat(to)) {
    x = n.g.cast(x, DType::I32); // ONNX's reference wraps what these cannot hold
  }
  return n.g.cast(x, to);
}

static Status cast(OnnxNode &n) {
  if (!n.hasAttr("to")) {
    return n.malformed("attribute 'to' is missing");
  }
  ZYXC_ASSIGN(DType to, n.attrDType("to", DType::F32));
  return n.result(castAsOnnx(n, n.in(0), to));
}

static Status castLike(OnnxNode &n) {
  return n.result(castAsOnnx(n, n.in(0), n.type(1).dtype));
}

static Status bitCast(OnnxNode &n) {
  ZYXC_ASSIGN(DType to, n.attrDType("to", DType::F32));
  DType from = n.type(0).dtype;
  if (to == from) {
    return n.result(n.in(0));
  }
  if (from == DType::Bool && isInteger(to) && byteSize(to) == 1) {
    return n.result(n.g.cast(n.in(0), to)); // a bool is stored as a byte of 0 or 1
  }
  return n.result(n.g.op(OpKind::Bitcast, {n.in(0)}, {{"dtype", to}}));
}

static constexpr OnnxOp rows[] = {
    {"BitCast", 26, newest, 1, 1, 1, openDims, bitCast},
    {"Cast", 6, newest, 1, 1, 1, openDims, cast},
    {"CastLike", 15, newest, 2, 2, 1, openDims, castLike},
};

std::span<const OnnxOp> castOps() {
  return rows;
}

} // namespace zyxc::importer
