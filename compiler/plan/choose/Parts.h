// Extraction part by part: where some classes, the borders, are produced in any case, what lies
// between them can be chosen on its own. Parts with equal structure are solved once.
#pragma once
#include "compiler/extract/Extract.h"
#include <optional>
#include <span>
#include <unordered_map>

namespace zyxc::plan {

/// A solution that produces all borders. Its bound and its proof are about choices that do.
struct PartsSolution {
  extract::Solution solution;
  size_t parts = 0;    ///< into which the borders cut the problem
  size_t distinct = 0; ///< of different structure
};

/// Solves one problem, which must outlive this, between several sets of borders. Solutions of parts
/// are kept for the next set.
class PartSolver {
public:
  /// The limits are for all sets together; when they are used up, a new part may still have a
  /// hundredth of them.
  PartSolver(const extract::Problem &problem, const extract::Limits &limits);

  /// The cheapest choice that produces all borders, without the candidates that are marked in
  /// `dropped` (may be empty). Nothing if the borders cut badly: fewer parts than borders, a part
  /// with more than half of the candidates, a conflict between candidates of two parts, parts that
  /// need each other, or a border that cannot be produced. `searchNodes` and `memoryHits` count
  /// only what this call searched.
  std::optional<PartsSolution> solve(std::span<const uint32_t> borders,
                                     const std::vector<bool> &dropped = {});

  /// Parts that were searched so far; all others were equal to one of them.
  size_t numSearched() const { return known.size(); }

private:
  struct Hash {
    size_t operator()(const std::vector<int64_t> &words) const;
  };

  extract::Limits limitsLeft() const;

  const extract::Problem &problem;
  extract::Limits limits;
  uint64_t spent = 0;                           ///< search nodes
  std::vector<std::vector<uint32_t>> producers; ///< by class, in an order that equal parts share
  std::vector<std::vector<uint32_t>> conflicts; ///< by candidate
  std::unordered_map<std::vector<int64_t>, std::optional<extract::Solution>, Hash> known;
};

} // namespace zyxc::plan
