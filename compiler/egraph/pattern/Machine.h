// Rules compiled for searching: a tree of instructions over registers that hold classes. Rules that
// begin alike share their beginning. A search is semi-naive: it finds only matches that have a row
// (a node with its operands and its class) that is new since a given time, and each of them once.
#pragma once
#include "compiler/egraph/EGraph.h"
#include "compiler/egraph/pattern/Rule.h"

namespace zyxc::egraph {

/// Registers of a machine.
inline constexpr uint32_t maxRegisters = 64;

/// What is known of the age of the rows of a premise.
enum class AgeRule : uint8_t {
  Any,
  AllOld,      ///< no row is new
  SomeNew,     ///< at least one row is new, perhaps a later one
  SomeNewLast, ///< as SomeNew, and no later row of the premise is read
};

struct Instruction {
  enum class Kind : uint8_t {
    Scan,   ///< each node of the op
    Bind,   ///< each node of the op in the class of register `in`
    Users,  ///< each node of the op that has the class of `in` as operand `position`
    Lookup, ///< the node of the op over the registers `arguments`, by the hash table
    Same,   ///< registers `in` and `out` hold one class
    Ground, ///< `in` holds the class of ground term `position`
    HasNew, ///< a row of the premise that is to be new was new
    Yield,  ///< all premises are matched
  };
  Kind kind;
  AgeRule age = AgeRule::Any;
  uint32_t op = 0;
  uint32_t payload = 0;
  uint32_t arity = 0;
  uint32_t in = 0;
  uint32_t out = 0; ///< Scan, Bind, Users: the class, then the operands; Lookup: the class
  uint32_t position = 0;
  uint32_t rule = 0;                     ///< Yield
  std::vector<uint32_t> arguments = {};  ///< Lookup: operands; Yield: registers of a match
  std::vector<uint32_t> successors = {}; ///< instructions that go on from here, in order

  bool sameStep(const Instruction &other) const;
};

/// Times from `since` to before `until`.
struct TimeSpan {
  uint32_t since = 0;
  uint32_t until = ~0u;
};

/// Matches of one rule: rows of as many classes as Machine::columns() of the rule has.
struct MatchTable {
  uint32_t width = 1;
  GrowingArray<Id> values;
  size_t size() const { return values.size() / width; }
};

/// A set of rules, compiled together.
class Machine {
public:
  /// Unsupported if a rule needs too many registers. `rules` must outlive the machine; `indices`
  /// are those to compile.
  static Expected<Machine> compile(std::span<const Rule> rules, std::span<const uint32_t> indices,
                                   bool allVariables = false);

  /// Adds the matches with a row of these times, and none of later ones, to `tables` (by rule); a
  /// clean graph that tracks ages. Stops with false once more than `limit` matches are found in
  /// all. The matches and their order are the same for each number of threads; with more than one,
  /// find() must write nothing (EGraph::shortenPaths).
  bool search(const EGraph &graph, TimeSpan times, uint64_t limit, std::vector<MatchTable> &tables,
              unsigned threads = 1) const;

  /// Variables whose classes a match holds, in order: those that conclusions use, or, for graphs
  /// that keep matches, all.
  static std::vector<uint32_t> columns(const Rule &rule, bool allVariables);
  /// Instructions, for tests.
  size_t size() const { return code.size(); }

private:
  friend class PatternCompiler;
  friend class Search;
  struct GroundTerm {
    uint32_t op, payload;
    std::vector<uint32_t> children; ///< ground terms before it
    bool operator==(const GroundTerm &) const = default;
  };
  std::vector<Instruction> code;
  std::vector<uint32_t> roots;
  std::vector<uint32_t> rootsOfFew; ///< the same rules, to be begun with the few rows that are new
  std::vector<GroundTerm> groundTerms;
};

} // namespace zyxc::egraph
