#include "dialects/zyx/semantics/Scalar.h"

namespace zyxc {

bool isDefinedOn(OpKind kind, DType dtype) {
  switch (kind) {
  case OpKind::Neg:
  case OpKind::Abs:
  case OpKind::Sign:
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::Rem:
  case OpKind::Mod:
  case OpKind::Pow:
  case OpKind::Max:
  case OpKind::Min:
  case OpKind::ReduceSum:
  case OpKind::ReduceProd:
  case OpKind::ReduceMax:
  case OpKind::ReduceMin:
  case OpKind::ArgMax:
  case OpKind::ArgMin: return dtype != DType::Bool;
  case OpKind::Not:
  case OpKind::And:
  case OpKind::Or:
  case OpKind::Xor:
  case OpKind::ReduceAnd:
  case OpKind::ReduceOr: return !isFloat(dtype);
  case OpKind::Shl:
  case OpKind::Shr: return isInteger(dtype);
  default: break;
  }
  // The remaining unary ops are roundings, functions and tests of floats; comparisons and all
  // other ops take every dtype.
  return !isUnary(kind) || isFloat(dtype);
}

} // namespace zyxc
