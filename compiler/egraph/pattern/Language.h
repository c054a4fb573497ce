// Names of ops, atoms and exact numbers for the ids that the engine knows.
#pragma once
#include "compiler/egraph/EGraph.h"
#include "compiler/egraph/pattern/Number.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc::egraph {

/// An op is a name with a number of operands. Numbers and atoms are two ops of their own, without
/// operands; the payload says which number or atom. The payload of other ops is 0.
class Language {
public:
  static constexpr uint32_t numberOp = 0;
  static constexpr uint32_t atomOp = 1;

  /// Ids, made where they are missing.
  uint32_t op(std::string_view name, uint32_t arity);
  uint32_t atom(std::string_view name);
  uint32_t number(const Number &value);

  uint32_t numOps() const { return static_cast<uint32_t>(ops.size()) + 2; }
  /// "number", "atom", or the name; with "/2" if ops of several arities have this name.
  std::string opName(uint32_t op) const;
  const Number &numberOf(uint32_t payload) const { return numbers[payload]; }
  /// What an op with its payload is called in a term: its name, its number or its atom.
  std::string label(uint32_t op, uint32_t payload) const;
  std::string label(const EGraph &graph, NodeId node) const {
    return label(graph.op(node), graph.payload(node));
  }

private:
  struct Op {
    std::string name;
    uint32_t arity;
  };
  std::vector<Op> ops; ///< from id 2 on
  std::map<std::pair<std::string, uint32_t>, uint32_t, std::less<>> opIds;
  std::map<std::string, uint32_t, std::less<>> arities; ///< how many of them a name has
  std::vector<std::string> atoms;
  std::map<std::string, uint32_t, std::less<>> atomIds;
  std::vector<Number> numbers;
  std::map<std::pair<int64_t, int64_t>, uint32_t> numberIds;
};

} // namespace zyxc::egraph
