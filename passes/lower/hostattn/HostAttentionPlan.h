// The numbers of attention on the host: register tiles, panels of queries, blocks of keys, tasks.
// They depend on sizes and on the target only, never on the number of threads, so results do not
// either.
#pragma once
#include <cstdint>

namespace zyxc {

/// What the plan is made from.
struct HostAttentionSizes {
  int64_t batches = 1; ///< the product of the batch axes
  int64_t queries = 1;
  int64_t keys = 1;
  int64_t depth = 1;
  int64_t width = 0;        ///< 0: no values
  int64_t elementBytes = 4; ///< of the type of scores and sums
  unsigned vectorBits = 512;
  // Wishes of the schedule; 0 leaves the choice here.
  int64_t q = 0, kv = 0;
};

/// All counts are at least 1.
struct HostAttentionPlan {
  int64_t lanes = 0; ///< elements of a vector
  // The tile of scores: rows are keys, lanes are queries.
  int64_t keyRows = 0;
  int64_t queryVectors = 0;
  // The tile of outputs: rows are queries, lanes are columns of the values.
  int64_t queryRows = 0;
  int64_t widthVectors = 0;

  int64_t groups = 0;        ///< tiles of scores beside each other in a panel
  int64_t panels = 0;        ///< of all queries
  int64_t panelsPerTask = 0; ///< they share packed keys and values
  int64_t queryBlocks = 0;   ///< tasks of one point of the batch
  int64_t keyBlock = 0;      ///< keys of one turn, a multiple of keyRows
  int64_t columns = 0;       ///< the width, rounded up to whole tiles
  int64_t tasks = 0;

  /// Queries of one tile of scores, and of a panel.
  int64_t groupQueries() const { return queryVectors * lanes; }
  int64_t panel() const { return groups * groupQueries(); }
  /// Scores from one key to the next: an odd number of vectors, so that keys share no sets of the
  /// cache.
  int64_t scorePitch() const { return (panel() / lanes | 1) * lanes; }

  static HostAttentionPlan make(const HostAttentionSizes &sizes);
};

} // namespace zyxc
