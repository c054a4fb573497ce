// Conclusions of a rule compiled to steps that add nodes, and applied to many matches at a time.
#pragma once
#include "compiler/egraph/Budget.h"
#include "compiler/egraph/EGraph.h"
#include "compiler/egraph/pattern/Machine.h"

namespace zyxc::egraph {

/// What the matches of one rule did.
struct RuleCount {
  uint64_t matches = 0; ///< found and applied
  uint64_t unions = 0;  ///< classes joined, congruence aside
  uint64_t nodes = 0;   ///< nodes added
};

/// The conclusions of one rule.
class Applier {
public:
  /// `index` is the rule's number in reasons of unions; `columns` are those of its matches.
  Applier(const Rule &rule, uint32_t index, std::span<const uint32_t> columns);

  /// Applies matches `from` and following, in blocks; after each block the budget is tested with
  /// `matchesBefore` more matches and `otherBytes` more memory. Returns Saturated when all are
  /// applied. The graph is then to be rebuilt.
  StopReason apply(EGraph &graph, const MatchTable &matches, const Budget &budget,
                   uint64_t matchesBefore, size_t otherBytes, RuleCount &count);

private:
  /// A class that a step reads: a column of the match, a ground term, or what a step made.
  struct Source {
    enum class Kind : uint8_t { Column, Ground, Step };
    Kind kind;
    uint32_t place;
  };
  /// Makes a node for each match of a block, and unites.
  struct Step {
    enum class Kind : uint8_t { Node, NodeInClass, Unite };
    Kind kind;
    uint32_t op = 0;
    uint32_t payload = 0;
    std::vector<Source> children; ///< of Unite: one
    Source cls = {};              ///< NodeInClass, Unite: the class that it is equal to
  };
  struct GroundTerm {
    uint32_t op, payload;
    std::vector<uint32_t> children;
  };
  static constexpr size_t blockSize = Forms::most;

  Source compile(const Pattern &pattern, uint32_t term, std::span<const uint32_t> columns);
  uint32_t ground(const Pattern &pattern, uint32_t term);
  Step nodeStep(const Pattern &pattern, uint32_t term, std::span<const uint32_t> columns);
  Id read(Source source, size_t match) const;
  void readAll(Source source, size_t count, Id *to) const;
  void applyBlock(EGraph &graph, const Id *matches, size_t width, size_t count);
  void runStep(EGraph &graph, const Step &step, size_t index, size_t count);

  uint32_t index;
  std::vector<GroundTerm> groundTerms;
  std::vector<Step> steps;
  // Of the current block.
  std::vector<Id> groundClasses;
  std::vector<Id> results; ///< by step and match
  Forms forms;
  const Id *block = nullptr;
  size_t blockWidth = 0;
};

} // namespace zyxc::egraph
