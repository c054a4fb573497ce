// Attributes of an op without MLIR: a self-describing list, sorted by name, with one generic hash
// and equality. A new attribute of an op needs no change here: it is converted by its type alone.
#pragma once
#include "dialects/zyx/semantics/IndexMap.h"
#include "dialects/zyx/semantics/OpKind.h"
#include "runtime/core/Tensor.h"
#include <string>
#include <variant>
#include <vector>

namespace zyxc {

/// Value of one attribute; the alternative is fixed by AttrType (in the same order).
using AttrValue =
    std::variant<int64_t, double, std::vector<int64_t>, std::string, DType, Tensor, IndexMap>;

/// Equality by value; floats and tensors by bits.
bool identical(const AttrValue &a, const AttrValue &b);
uint64_t hashValue(const AttrValue &value);
std::string toString(const AttrValue &value);
/// "[1, 2, 3]"; a long list is cut.
std::string listText(std::span<const int64_t> values);

/// The attributes of one op.
class Attrs {
public:
  Attrs() = default;
  /// In any order; sorted here. Names must be those of the op's declaration.
  Attrs(std::initializer_list<std::pair<std::string_view, AttrValue>> entries);

  void set(std::string_view name, AttrValue value);
  const AttrValue *find(std::string_view name) const;

  // Typed access; the attribute must exist (ODS says that it does) and have this type.
  int64_t getInt(std::string_view name) const { return std::get<int64_t>(*find(name)); }
  double getFloat(std::string_view name) const { return std::get<double>(*find(name)); }
  const std::vector<int64_t> &getInts(std::string_view name) const {
    return std::get<std::vector<int64_t>>(*find(name));
  }
  const std::string &getString(std::string_view name) const {
    return std::get<std::string>(*find(name));
  }
  DType getDType(std::string_view name) const { return std::get<DType>(*find(name)); }
  const Tensor &getTensor(std::string_view name) const { return std::get<Tensor>(*find(name)); }
  const IndexMap &getMap(std::string_view name) const { return std::get<IndexMap>(*find(name)); }

  const std::vector<std::pair<std::string, AttrValue>> &entries() const { return list; }
  bool identical(const Attrs &other) const;
  uint64_t hash() const;
  /// "{axis = 1, perm = [1, 0]}"; "" when empty.
  std::string toString() const;

private:
  std::vector<std::pair<std::string, AttrValue>> list; // sorted by name
};

} // namespace zyxc
