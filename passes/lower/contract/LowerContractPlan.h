// The numbers of one host contraction: register tile, cache blocks, tasks. They depend on sizes and
// on the target only, never on the number of threads, so results do not either.
#pragma once
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace zyxc {

/// How an operand gets into panels.
enum class PackWhen : uint8_t {
  Loop,     ///< by each task, into scratch memory
  Prepared, ///< once at load, by a function of its own
};

/// What the plan is made from. Sizes of roles are products of the extents of their axes.
struct ContractSizes {
  int64_t batch = 1;
  int64_t outer = 1; ///< columns outside of the lanes: those over which stores are not linear
  int64_t m = 1;     ///< rows: each is a scalar, broadcast
  int64_t n = 1;     ///< columns: vector lanes
  llvm::SmallVector<int64_t> k; ///< extents of the summed axes, outermost first
  int64_t elementBytes = 4;     ///< of the type in which products are formed
  PackWhen packA = PackWhen::Loop;
  PackWhen packB = PackWhen::Loop;
  bool gathersB = false; ///< packing the columns needs one access per lane
  unsigned vectorBits = 512;
  // Wishes of the schedule; 0 leaves the choice here.
  int64_t mr = 0, nr = 0, mc = 0, nc = 0, kc = 0;

  int64_t summed() const;
};

/// Cycles of one step of the sum in a register tile of `mr` rows and `nv` vectors.
double cyclesPerStep(int64_t mr, int64_t nv, unsigned vectorBits);
/// Whether the accumulators, one row of columns and one broadcast element fit in the registers.
bool fitsRegisters(int64_t mr, int64_t nv, unsigned vectorBits);

/// All counts are at least 1, except that `maxCount` is 0 for an empty sum and `tasks` for an empty
/// result.
struct ContractPlan {
  int64_t lanes = 0;  ///< elements of a vector
  int64_t mr = 0;     ///< rows of the register tile
  int64_t nv = 0;     ///< vectors of a row of the register tile
  int64_t tiles = 0;  ///< ceil(m / mr)
  int64_t panels = 0; ///< ceil(n / nr())
  int64_t tilesPerTask = 0, rowBlocks = 0;
  int64_t panelsPerTask = 0, columnBlocks = 0;

  // A block of the sum is one point of the axes before `splitAxis`, `chunk` steps of that axis and
  // all of the axes after it: it is contiguous in the row-major order of the summed axes.
  unsigned splitAxis = 0;
  int64_t chunk = 0;      ///< steps of the split axis in one block
  int64_t chunks = 0;     ///< blocks along the split axis
  int64_t innerSteps = 0; ///< product of the extents after the split axis
  int64_t blocks = 0;     ///< blocks of the sum
  int64_t maxCount = 0;   ///< steps in the largest block

  int64_t nr() const { return lanes * nv; }
  int64_t tasks = 0;

  static ContractPlan make(const ContractSizes &sizes);
};

} // namespace zyxc
