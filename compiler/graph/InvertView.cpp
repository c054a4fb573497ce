#include "compiler/graph/InvertView.h"
#include "compiler/graph/Views.h"
#include "runtime/core/Dim.h"
#include <algorithm>

namespace zyxc::graph {

namespace {

/// (dim floordiv weight) mod size, where it stands in a coordinate with factor `place`.
struct Digit {
  int64_t axis;   ///< operand axis whose coordinate it is part of
  int64_t place;  ///< its factor there
  int64_t dim;    ///< result axis that it comes from
  int64_t weight; ///< its weight there
  int64_t size;
};

/// The single atom of an expression that is nothing but that atom.
const IndexAtom *asAtom(const IndexExpr &expr) {
  bool single =
      expr.constant() == 0 && expr.terms().size() == 1 && expr.terms()[0].coefficient == 1;
  return single ? &expr.terms()[0].atom : nullptr;
}

/// Reads dim, dim floordiv a, dim mod b and (dim floordiv a) mod b.
std::optional<Digit> readDigit(const IndexAtom &atom, std::span<const int64_t> extents) {
  if (atom.kind == IndexAtom::Kind::Dim) {
    return Digit{0, 0, atom.value, 1, extents[atom.value]};
  }
  const IndexAtom *inner = asAtom(*atom.argument);
  if (!inner) {
    return std::nullopt;
  }
  std::optional<Digit> digit = readDigit(*inner, extents);
  std::optional<int64_t> quotient =
      digit ? dim::exactQuotient(digit->size, atom.value) : std::nullopt;
  if (!quotient) {
    return std::nullopt;
  }
  if (atom.kind == IndexAtom::Kind::Mod) {
    digit->size = atom.value;
  } else {
    digit->weight = dim::mul(digit->weight, atom.value);
    digit->size = *quotient;
  }
  return digit;
}

/// True if digits of these factors and sizes count 0 to extent - 1 exactly once.
bool tiles(std::vector<std::pair<int64_t, int64_t>> factorAndSize, int64_t extent) {
  int64_t next = 1;
  while (!factorAndSize.empty()) {
    // Of digits with one factor, those of size 1 come first.
    auto least = factorAndSize.end();
    for (auto at = factorAndSize.begin(); at != factorAndSize.end(); ++at) {
      if (at->first == next && (least == factorAndSize.end() || at->second < least->second)) {
        least = at;
      }
    }
    if (least == factorAndSize.end()) {
      return false;
    }
    next = dim::mul(next, least->second);
    factorAndSize.erase(least);
  }
  return next == extent;
}

std::optional<std::vector<Digit>> readDigits(const IndexMap &map,
                                             std::span<const int64_t> resultShape) {
  std::vector<Digit> digits;
  for (size_t axis = 0; axis < map.results.size(); ++axis) {
    if (map.results[axis].constant() != 0) {
      return std::nullopt;
    }
    for (const IndexExpr::Term &term : map.results[axis].terms()) {
      std::optional<Digit> digit = readDigit(term.atom, resultShape);
      if (!digit) {
        return std::nullopt;
      }
      digit->axis = static_cast<int64_t>(axis);
      digit->place = term.coefficient;
      digits.push_back(*digit);
    }
  }
  return digits;
}

std::optional<IndexMap> invertDigits(const IndexMap &map, std::span<const int64_t> resultShape,
                                     std::span<const int64_t> operandShape) {
  std::optional<std::vector<Digit>> digits = readDigits(map, resultShape);
  if (!digits) {
    return std::nullopt;
  }
  for (size_t axis = 0; axis < operandShape.size(); ++axis) {
    std::vector<std::pair<int64_t, int64_t>> parts;
    for (const Digit &digit : *digits) {
      if (digit.axis == static_cast<int64_t>(axis)) {
        parts.emplace_back(digit.place, digit.size);
      }
    }
    if (!tiles(std::move(parts), operandShape[axis])) {
      return std::nullopt;
    }
  }
  IndexMap inverse{static_cast<int64_t>(operandShape.size()), {}};
  for (size_t dim = 0; dim < resultShape.size(); ++dim) {
    std::vector<std::pair<int64_t, int64_t>> parts;
    IndexExpr coordinate(0);
    for (const Digit &digit : *digits) {
      if (digit.dim == static_cast<int64_t>(dim)) {
        parts.emplace_back(digit.weight, digit.size);
        IndexExpr value = floorDiv(IndexExpr::dim(digit.axis), digit.place, operandShape);
        coordinate = coordinate + mod(value, digit.size, operandShape) * digit.weight;
      }
    }
    if (!tiles(std::move(parts), resultShape[dim])) {
      return std::nullopt;
    }
    inverse.results.push_back(std::move(coordinate));
  }
  return inverse;
}

} // namespace

std::optional<IndexMap> invertView(const IndexMap &map, std::span<const int64_t> resultShape,
                                   std::span<const int64_t> operandShape) {
  if (numElements(resultShape) != numElements(operandShape) || numElements(resultShape) == 0) {
    return std::nullopt;
  }
  if (std::optional<IndexMap> inverse = invertDigits(map, resultShape, operandShape)) {
    return inverse;
  }
  if (map == graph::normalizeView(reshapeMap(operandShape, resultShape), resultShape)) {
    return reshapeMap(resultShape, operandShape);
  }
  return std::nullopt;
}

std::optional<int64_t> aliasOffset(const IndexMap &map, std::span<const int64_t> resultShape,
                                   std::span<const int64_t> operandShape) {
  if (numElements(resultShape) == 0) {
    return std::nullopt;
  }
  if (map == graph::normalizeView(reshapeMap(operandShape, resultShape), resultShape) &&
      numElements(operandShape) == numElements(resultShape)) {
    return 0;
  }
  IndexMap own = graph::normalizeView(IndexMap::identity(static_cast<int64_t>(resultShape.size())),
                                      resultShape);
  IndexExpr distance = linearize(map.results, operandShape) - linearize(own.results, resultShape);
  return distance.isConstant() ? std::optional(distance.constant()) : std::nullopt;
}

bool isLinear(const IndexMap &map) {
  return std::all_of(map.results.begin(), map.results.end(),
                     [](const IndexExpr &expr) { return expr.isLinear(); });
}

} // namespace zyxc::graph
