#include "compiler/kernelize/program/ValueTable.h"
#include "runtime/core/Dim.h"
#include "runtime/support/Hash.h"
#include <bit>

namespace zyxc::kernelize {

static uint64_t hashOf(const Value &value) {
  uint64_t hash =
      hashMix(static_cast<uint64_t>(value.op) << 32 | static_cast<uint64_t>(value.dtype) << 16 |
                  static_cast<uint64_t>(value.kind),
              value.literal ^ value.port);
  for (ValueId operand : value.operands) {
    hash = hashMix(hash, operand);
  }
  IndexMap coords{0, value.coords};
  return hashMix(hash, coords.hash());
}

ValueId ValueTable::add(Value value) {
  uint64_t hash = hashOf(value);
  auto [begin, end] = byHash.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    if (values[entry->second] == value) {
      return entry->second;
    }
  }
  auto id = static_cast<ValueId>(values.size());
  values.push_back(std::move(value));
  byHash.emplace(hash, id);
  return id;
}

ValueId ValueTable::literal(DType dtype, Scalar scalar) {
  Value value;
  value.op = Value::Op::Literal;
  value.dtype = dtype;
  value.literal = std::bit_cast<uint64_t>(scalar);
  return add(std::move(value));
}

ValueId ValueTable::integer(int64_t size) {
  if (dim::isSymbolic(size)) {
    Value value;
    value.op = Value::Op::Index;
    value.dtype = DType::I64;
    value.coords = {IndexExpr(size)};
    return add(std::move(value));
  }
  Scalar scalar;
  scalar.i = size;
  return literal(DType::I64, scalar);
}

ValueId ValueTable::scalar(OpKind kind, DType dtype, std::vector<ValueId> operands) {
  Value value;
  value.op = Value::Op::Scalar;
  value.kind = kind;
  value.dtype = dtype;
  value.operands = std::move(operands);
  return add(std::move(value));
}

ValueId ValueTable::cast(ValueId operand, DType dtype) {
  return values[operand].dtype == dtype ? operand : scalar(OpKind::Cast, dtype, {operand});
}

} // namespace zyxc::kernelize
