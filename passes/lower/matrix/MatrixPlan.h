// How a matrix product is cut into tiles: the numbers that a matrix unit's code is made from.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/matrix/MatrixProblem.h"

namespace zyxc {

/// Tiles, roles and workgroup memory of one launch.
struct MatrixPlan {
  MatrixUnit unit = MatrixUnit::Wgmma;
  int64_t tileM = 0, tileN = 0, tileK = 0; ///< of a workgroup
  int64_t warpsM = 0, warpsN = 0;          ///< that compute; wgmma: warpgroups
  int64_t blocksM = 1;                     ///< wgmma: of 64 rows, one a warpgroup after the other
  int64_t stages = 0;                      ///< tiles of k in workgroup memory
  int64_t group = 0;                       ///< tiles along m before the next along n
  int64_t loadRegisters = 0, computeRegisters = 0; ///< wgmma; 0: as the compiler likes
  int64_t threads = 0;
  int64_t workgroups = 0;

  int64_t tilesM = 0, tilesN = 0, tiles = 0; ///< tiles: of all batches
  int64_t steps = 0;                         ///< tiles along k

  // Workgroup memory, in bytes from its start.
  int64_t bytesA = 0, bytesB = 0; ///< of one stage, a then b
  int64_t epilogueOffset = 0;     ///< one f32 tile per computing group
  int64_t epilogueBytes = 0;      ///< of one group
  int64_t barrierOffset = 0;
  int64_t sharedBytes = 0;

  int64_t stageBytes() const { return bytesA + bytesB; }
};

/// Chooses a plan for a unit, by the kernel's schedule where it says something. Fails with a
/// diagnostic if the schedule asks for what the unit or the target does not have.
mlir::FailureOr<MatrixPlan> planMatrix(zyxk::KernelOp kernel, const MatrixProblem &problem,
                                       const Target &target, MatrixUnit unit);

} // namespace zyxc
