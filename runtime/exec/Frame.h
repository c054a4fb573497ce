// A plan as it runs: its memory and its launches with their addresses. Bodies have frames of their
// own, so an iteration of a loop only rewrites the addresses that differ from the last one.
#pragma once
#include "runtime/devices/cpu/ThreadPool.h"
#include "runtime/exec/Block.h"
#include "runtime/plan/Plan.h"

namespace zyxc::rt {

/// What all frames of an executor share.
struct Workers {
  explicit Workers(int threads) : pool(threads) {}
  ThreadPool pool;
  std::vector<Block> scratch; ///< one a thread
  Block shared;
};

/// The arguments of a launch, one list a thread that runs it. Addresses that never change are
/// filled when it is bound, those of inputs and outputs in each run.
struct BoundLaunch {
  const Kernel *kernel;
  bool isAlone; ///< the caller's thread runs all of it
  std::vector<std::vector<uint64_t>> slots;
  std::vector<std::pair<uint32_t, BufferRef>> late; ///< slot numbers
};

/// Not thread-safe: one run at a time. The plan and the workers must outlive it.
class Frame {
public:
  /// Allocates what symbolic sizes do not decide, of bodies too, runs the prepare steps and binds
  /// plans that have no symbolic sizes. `numCarried`: of the body of a loop. Throws bad_alloc.
  Frame(const Plan &plan, Workers &workers, uint32_t numCarried = 0);

  /// Makes memory large enough for a static plan: this one, or one that was bound from it. Launches
  /// must be bound again. Throws bad_alloc.
  void growTo(const Plan &plan);
  /// Fills in the addresses of a plan for which memory was grown; it must outlive its runs.
  void bind(const Plan &plan);
  /// Forgets the launches.
  void unbind();

  /// Addresses for the runs to come.
  std::vector<uint64_t> inputs, outputs;

  size_t numSteps() const { return steps.size(); }
  void runStep(size_t step) { launch(steps[step]); }
  void run() {
    for (BoundLaunch &step : steps) {
      launch(step);
    }
  }

  /// Bytes of memory that it holds, with bodies.
  uint64_t heldBytes() const;

private:
  BoundLaunch bound(const Plan &plan, const Launch &launch) const;
  void launch(BoundLaunch &launch);
  void runTasks(BoundLaunch &launch);
  void runBranch(const BoundLaunch &launch);
  void runLoop(const BoundLaunch &launch);

  Workers &workers;
  Block arena;
  Block prepared;
  std::vector<BoundLaunch> steps;
  std::vector<std::unique_ptr<Frame>> bodies;
  std::vector<uint64_t> outputBytes;

  // Of the body of a loop: what the loop gives it and takes from it.
  uint32_t numCarried;
  Block carried;               ///< second copies of carried values
  std::vector<uint64_t> spare; ///< their addresses
  alignas(outputAlignment) int64_t iteration = 0;
  alignas(outputAlignment) uint8_t again = 0; ///< a bool
};

} // namespace zyxc::rt
