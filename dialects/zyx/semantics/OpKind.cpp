#include "dialects/zyx/semantics/OpKind.h"
#include <algorithm>
#include <array>

namespace zyxc {

// Per op: its attribute table (with a first dummy entry, since an array cannot be empty).
namespace attributes {
using enum AttrType;
#undef ZYX_ATTRS
#define ZYX_ATTRS(...) {{"", Int}, ##__VA_ARGS__}
#define ZYX_OP(kind, mnemonic, family, arity, commutative, attrs)                                  \
  static constexpr AttrInfo kind[] = attrs;
#include "dialects/zyx/semantics/OpKinds.inc"
#undef ZYX_OP
} // namespace attributes

static constexpr OpInfo opTable[] = {
#define ZYX_OP(kind, mnemonic, family, arity, commutative, attrs)                                  \
  {OpKind::kind, mnemonic,    OpFamily::family,                                                    \
   arity,        commutative, std::span<const AttrInfo>(attributes::kind).subspan(1)},
#include "dialects/zyx/semantics/OpKinds.inc"
#undef ZYX_OP
};

const OpInfo &info(OpKind kind) {
  return opTable[static_cast<size_t>(kind)];
}

int numOpKinds() {
  return static_cast<int>(std::size(opTable));
}

std::optional<OpKind> parseOpKind(std::string_view name) {
  // The table is sorted by mnemonic.
  const auto *row =
      std::lower_bound(std::begin(opTable), std::end(opTable), name,
                       [](const OpInfo &op, std::string_view n) { return op.name < n; });
  if (row == std::end(opTable) || row->name != name) {
    return std::nullopt;
  }
  return row->kind;
}

} // namespace zyxc
