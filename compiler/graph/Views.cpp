#include "compiler/graph/Views.h"
#include <algorithm>

namespace zyxc::graph {

namespace {

bool hasNestedDivision(const IndexExpr &expr) {
  return std::ranges::any_of(expr.terms(), [](const IndexExpr::Term &term) {
    return term.atom.kind != IndexAtom::Kind::Dim && !term.atom.argument->isLinear();
  });
}

} // namespace

IndexMap normalizeView(const IndexMap &map, std::span<const int64_t> shape) {
  std::vector<IndexExpr> dims;
  dims.reserve(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    dims.push_back(shape[i] == 1 ? IndexExpr(0) : IndexExpr::dim(static_cast<int64_t>(i)));
  }
  IndexMap result = {map.numDims, {}};
  for (const IndexExpr &expr : map.results) {
    result.results.push_back(substitute(expr, dims, shape));
  }
  return result;
}

bool isIdentityView(const IndexMap &map, std::span<const int64_t> shape,
                    std::span<const int64_t> source) {
  return std::ranges::equal(shape, source) &&
         map == normalizeView(IndexMap::identity(static_cast<int64_t>(shape.size())), shape);
}

std::optional<IndexMap> composeViews(const IndexMap &inner, const IndexMap &outer,
                                     std::span<const int64_t> shape) {
  IndexMap result = normalizeView(compose(inner, outer, shape), shape);
  if (std::ranges::any_of(result.results, hasNestedDivision)) {
    return std::nullopt;
  }
  return result;
}

} // namespace zyxc::graph
