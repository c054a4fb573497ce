// The cheapest closed set of candidates of a table, with a certificate.
#pragma once
#include "compiler/extract/Extract.h"
#include "compiler/plan/choose/Borders.h"
#include <optional>
#include <span>

namespace zyxc::plan {

/// The chosen candidates (indices into the table, in execution order) with their certificate.
struct Choice {
  std::vector<uint32_t> candidates;
  int64_t cost = 0;       ///< picoseconds
  int64_t lowerBound = 0; ///< no other choice from the table costs less
  bool proved = false;
  uint64_t searchNodes = 0;
  uint64_t memoryHits = 0; ///< see extract::Solution
  /// Classes that were stored in any case, between equal parts of the graph: bound and proof are
  /// about choices that store them. 0: about all choices.
  size_t borders = 0;
  size_t parts = 0;         ///< that were chosen on their own
  size_t distinctParts = 0; ///< of them, those that had to be searched
};

/// Picks the cheapest closed set of candidates; checked by extract::check.
Expected<Choice> choose(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
                        const extract::Limits &limits = {});

/// The same part by part: for the best of these sets of borders. Nothing if none of them cuts the
/// table into parts.
Expected<std::optional<Choice>> chooseByParts(const graph::TensorGraph &graph,
                                              const kernelize::CandidateTable &table,
                                              std::span<const Borders> sets,
                                              const extract::Limits &limits = {});

/// What a choice by parts is about, in a line; nothing for any other choice.
std::string describeParts(const Choice &choice);

} // namespace zyxc::plan
