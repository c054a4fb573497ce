#include "dialects/zyx/semantics/BindSizes.h"
#include <algorithm>

namespace zyxc {

Shape bindSizes(const Shape &sizes, const dim::Bindings &replacements) {
  Shape result;
  for (int64_t size : sizes) {
    result.push_back(dim::substitute(size, replacements));
  }
  return result;
}

TensorType bindSizes(const TensorType &type, const dim::Bindings &replacements) {
  return {type.dtype, bindSizes(type.shape, replacements)};
}

IndexExpr bindSizes(const IndexExpr &expr, const dim::Bindings &replacements) {
  IndexExpr result(dim::substitute(expr.constant(), replacements));
  for (const IndexExpr::Term &term : expr.terms()) {
    int64_t coefficient = dim::substitute(term.coefficient, replacements);
    if (term.atom.kind == IndexAtom::Kind::Dim) {
      result = result + IndexExpr::fromTerm({coefficient, term.atom});
      continue;
    }
    int64_t divisor = dim::substitute(term.atom.value, replacements);
    if (divisor != 0) {
      IndexExpr argument = bindSizes(*term.atom.argument, replacements);
      bool isMod = term.atom.kind == IndexAtom::Kind::Mod;
      result = result +
               (isMod ? mod(argument, divisor, {}) : floorDiv(argument, divisor, {})) * coefficient;
    }
  }
  return result;
}

IndexMap bindSizes(const IndexMap &map, const dim::Bindings &replacements) {
  IndexMap result{map.numDims, {}};
  for (const IndexExpr &expr : map.results) {
    result.results.push_back(bindSizes(expr, replacements));
  }
  return result;
}

Attrs bindSizes(const Attrs &attrs, const dim::Bindings &replacements) {
  Attrs result;
  for (const auto &[name, value] : attrs.entries()) {
    if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
      result.set(name, bindSizes(*list, replacements));
    } else if (const auto *map = std::get_if<IndexMap>(&value)) {
      result.set(name, bindSizes(*map, replacements));
    } else {
      result.set(name, value);
    }
  }
  return result;
}

bool hasSymbolicSizes(const Attrs &attrs) {
  return std::any_of(attrs.entries().begin(), attrs.entries().end(), [](const auto &entry) {
    const auto *list = std::get_if<std::vector<int64_t>>(&entry.second);
    const auto *map = std::get_if<IndexMap>(&entry.second);
    return (list && dim::anySymbolic(*list)) || (map && map->hasSymbolicSizes());
  });
}

} // namespace zyxc
