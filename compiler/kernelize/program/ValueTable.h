// Body values without duplicates: equal values over equal operands are one.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include <unordered_map>

namespace zyxc::kernelize {

/// The body of a program while it is being built.
class ValueTable {
public:
  /// The id of this value, which is added if it is new. Its operands must be in the table.
  ValueId add(Value value);
  const Value &operator[](ValueId id) const { return values[id]; }
  size_t size() const { return values.size(); }
  std::vector<Value> take() { return std::move(values); }

  ValueId literal(DType dtype, Scalar scalar);
  /// A size as i64: a literal, or the value that a symbolic size has at run time.
  ValueId integer(int64_t size);
  /// An elementwise op; `dtype` is that of the result.
  ValueId scalar(OpKind kind, DType dtype, std::vector<ValueId> operands);
  /// The value converted; no op if it has the dtype already.
  ValueId cast(ValueId value, DType dtype);

private:
  std::vector<Value> values;
  std::unordered_multimap<uint64_t, ValueId> byHash;
};

} // namespace zyxc::kernelize
