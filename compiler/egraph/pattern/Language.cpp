#include "compiler/egraph/pattern/Language.h"

namespace zyxc::egraph {

uint32_t Language::op(std::string_view name, uint32_t arity) {
  auto [entry, isNew] = opIds.try_emplace({std::string(name), arity}, numOps());
  if (isNew) {
    ops.push_back({std::string(name), arity});
    ++arities[std::string(name)];
  }
  return entry->second;
}

uint32_t Language::atom(std::string_view name) {
  auto [entry, isNew] = atomIds.try_emplace(std::string(name), static_cast<uint32_t>(atoms.size()));
  if (isNew) {
    atoms.emplace_back(name);
  }
  return entry->second;
}

uint32_t Language::number(const Number &value) {
  auto [entry, isNew] = numberIds.try_emplace({value.numerator, value.denominator},
                                              static_cast<uint32_t>(numbers.size()));
  if (isNew) {
    numbers.push_back(value);
  }
  return entry->second;
}

std::string Language::opName(uint32_t op) const {
  if (op == numberOp || op == atomOp) {
    return op == numberOp ? "number" : "atom";
  }
  const Op &named = ops[op - 2];
  bool isUnique = arities.find(named.name)->second == 1;
  return isUnique ? named.name : fmt::format("{}/{}", named.name, named.arity);
}

std::string Language::label(uint32_t op, uint32_t payload) const {
  if (op == numberOp) {
    return numbers[payload].toText();
  }
  return op == atomOp ? atoms[payload] : ops[op - 2].name;
}

} // namespace zyxc::egraph
