// A host program without LLVM or MLIR: what the driver makes and the executor runs. Buffers are
// ranges of a few spaces; steps launch kernels in order. Sizes that are known only at run time may
// be symbolic (runtime/core/Dim.h); runtime/plan/BindPlan.h gives them values.
#pragma once
#include "runtime/core/Dim.h"
#include "runtime/core/Tensor.h"
#include <string>
#include <vector>

namespace zyxc::rt {

/// Entry of a host kernel. `args` are 64-bit slots: the addresses of the ports in order, then the
/// address of this thread's scratch memory, then the kernel's dims. Tasks [lo, hi) are run; tasks
/// are independent.
using KernelFn = void (*)(const uint64_t *args, int64_t lo, int64_t hi);

/// What a kernel runs after its last task: it joins results that tasks left in memory which all
/// threads share. With `sharedBytes` > 0 its address is a slot before that of scratch memory, for
/// the kernel and its join.
struct KernelJoin {
  KernelFn entry = nullptr; ///< null: nothing
  int64_t numTasks = 0;     ///< a size
  uint64_t sharedBytes = 0; ///< a size
};

/// What the addresses of arena, prepared memory and outputs are a multiple of, in bytes. Inputs and
/// constants may be views of memory at any address that suits their elements.
inline constexpr uint64_t outputAlignment = 64;

/// No tensor, arena or scratch memory of a plan exceeds this, so that sums of them do not overflow.
inline constexpr uint64_t mostPlanBytes = uint64_t(1) << 48;
/// No kernel has more tasks.
inline constexpr int64_t mostPlanTasks = int64_t(1) << 48;

/// Where a value lives.
enum class Space : uint8_t {
  Input,    ///< program input `index`, given by the caller
  Output,   ///< program output `index`, given by the caller
  Constant, ///< `constants[index]`
  Arena,    ///< the plan's arena, at byte `offset`; with lifetimes, of the buffer `index` in it
  Prepared, ///< memory filled once at load by the prepare steps, at byte `offset`
};

/// Bytes in one of the spaces. `index` is for Input, Output and Constant, and for Arena in a plan
/// with lifetimes; `offset` is for all.
struct BufferRef {
  Space space = Space::Arena;
  uint32_t index = 0;
  uint64_t offset = 0; ///< a size
  uint64_t bytes = 0;  ///< a size
};

/// A buffer of the arena: its size and the steps at which it must exist, first to last.
struct Lifetime {
  uint64_t bytes = 0; ///< a size
  size_t first = 0;
  size_t last = 0;
};

/// A plan gives the right answer only where `size` >= 0.
struct SizeGuard {
  int64_t size = 0;
  std::string origin; ///< the source node that needs it
  std::string text;   ///< the kind of that node
};

/// A kernel of the plan. `entry` is filled when the plan is loaded.
struct Kernel {
  std::string name;
  KernelFn entry = nullptr;
  int64_t numTasks = 1;      ///< a size
  uint64_t scratchBytes = 0; ///< per thread
  int64_t picoseconds = 0;   ///< estimated time on one thread; 0 when nothing is known
  KernelJoin join = {};
  std::vector<int64_t> dims = {}; ///< sizes that it is given at run time

  /// True if its tasks, its shared memory or its dims are symbolic.
  bool isSymbolic() const;
};

/// Runs one kernel over all its tasks.
struct Launch {
  uint32_t kernel = 0;
  std::vector<BufferRef> ports;
  std::string label; ///< the source node it computes, for errors and timing
};

/// An input or output of the program.
struct NamedType {
  std::string name;
  TensorType type;
};

/// A program of launches. It owns its constants; kernel entries belong to whoever compiled them.
/// With symbolic sizes it is a plan for all values of their variables: a static one is made of it
/// for each. What prepare steps use is static in any case.
struct Plan {
  std::vector<NamedType> inputs;
  std::vector<NamedType> outputs;
  std::vector<Tensor> constants;
  std::vector<Kernel> kernels;
  std::vector<Launch> prepare; ///< run once at load
  std::vector<Launch> steps;   ///< run in order for each call
  uint64_t arenaBytes = 0;
  uint64_t preparedBytes = 0;
  std::vector<Lifetime> lifetimes; ///< of buffers whose places in the arena are not known yet
  std::vector<SizeGuard> guards;

  /// True if sizes are open: the plan must be bound before it runs.
  bool isSymbolic() const;
  /// Bytes that running a static plan allocates: arena, prepared buffers, outputs, scratch and
  /// shared memory.
  uint64_t plannedBytes(int threads) const;
  /// The same plan gives the same text.
  std::string toText() const;
};

} // namespace zyxc::rt
