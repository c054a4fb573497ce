// The kinds of the zyx ops without MLIR: generated from ZyxOps.td, so that the dialect, the e-graph
// and the interpreter cannot disagree on what an op is.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace zyxc {

#define ZYX_ATTRS(...) __VA_ARGS__
enum class OpKind : uint8_t {
#define ZYX_OP(kind, ...) kind,
#include "dialects/zyx/semantics/OpKinds.inc"
#undef ZYX_OP
};

enum class OpFamily : uint8_t {
  Structural,
  Unary,
  Binary,
  Compare,
  Reduce,
  Movement,
  Composite,
  Scan,
  Order,
  Identity
};

/// Type of an attribute in the MLIR-free world. Bool attributes are Int; a Map is an IndexMap.
enum class AttrType : uint8_t { Int, Float, Ints, String, DType, Tensor, Map };

struct AttrInfo {
  std::string_view name;
  AttrType type;
};

/// What ODS declares of an op.
struct OpInfo {
  OpKind kind;
  std::string_view name; ///< mnemonic without "zyx."
  OpFamily family;
  int arity; ///< number of operands; -1: any number, at least one
  bool commutative;
  std::span<const AttrInfo> attributes; ///< sorted by name
};

const OpInfo &info(OpKind kind);
int numOpKinds();
inline std::string_view name(OpKind kind) {
  return info(kind).name;
}
/// The kind with this mnemonic ("add"), if there is one.
std::optional<OpKind> parseOpKind(std::string_view name);

/// One operand, elementwise, same shape (not cast or bitcast).
inline bool isUnary(OpKind kind) {
  return info(kind).family == OpFamily::Unary;
}
/// Two operands, elementwise, comparisons included.
inline bool isBinary(OpKind kind) {
  return info(kind).family == OpFamily::Binary || info(kind).family == OpFamily::Compare;
}
inline bool isReduce(OpKind kind) {
  return info(kind).family == OpFamily::Reduce;
}
/// A prefix form along an axis.
inline bool isScan(OpKind kind) {
  return info(kind).family == OpFamily::Scan;
}
/// An op whose elements depend on the order of a whole axis: scans, sorts, scatter. A kernel
/// computes it alone.
inline bool isOrdered(OpKind kind) {
  return isScan(kind) || info(kind).family == OpFamily::Order;
}
/// The value of its operand, stored: a wish about memory.
inline bool isIdentity(OpKind kind) {
  return info(kind).family == OpFamily::Identity;
}
inline bool isComposite(OpKind kind) {
  return info(kind).family == OpFamily::Composite;
}
inline bool isMovement(OpKind kind) {
  return info(kind).family == OpFamily::Movement;
}
/// Unary, binary, select, cast or bitcast: result element i depends on operand elements i only.
inline bool isElementwise(OpKind kind) {
  return isUnary(kind) || isBinary(kind) || kind == OpKind::Select || kind == OpKind::Cast ||
         kind == OpKind::Bitcast;
}

} // namespace zyxc
