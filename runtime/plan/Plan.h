// A host program without LLVM or MLIR: what the driver makes and the executor runs. Buffers are
// ranges of a few spaces; steps launch kernels in order.
#pragma once
#include "runtime/core/Tensor.h"
#include <string>
#include <vector>

namespace zyxc::rt {

/// Entry of a host kernel. `args` are 64-bit slots: the addresses of the ports in order, then the
/// address of this thread's scratch memory. Tasks [lo, hi) are run; tasks are independent.
using KernelFn = void (*)(const uint64_t *args, int64_t lo, int64_t hi);

/// What a kernel runs after its last task: it joins results that tasks left in memory which all
/// threads share. With `sharedBytes` > 0 its address is a slot before that of scratch memory, for
/// the kernel and its join.
struct KernelJoin {
  KernelFn entry = nullptr; ///< null: nothing
  int64_t numTasks = 0;
  uint64_t sharedBytes = 0;
};

/// What the addresses of arena, prepared memory and outputs are a multiple of, in bytes. Inputs and
/// constants may be views of memory at any address that suits their elements.
inline constexpr uint64_t outputAlignment = 64;

/// Where a value lives.
enum class Space : uint8_t {
  Input,    ///< program input `index`, given by the caller
  Output,   ///< program output `index`, given by the caller
  Constant, ///< `constants[index]`
  Arena,    ///< the plan's arena, at byte `offset`
  Prepared, ///< memory filled once at load by the prepare steps, at byte `offset`
};

/// Bytes in one of the spaces. `index` is for Input, Output and Constant, `offset` for all.
struct BufferRef {
  Space space = Space::Arena;
  uint32_t index = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// A kernel of the plan. `entry` is filled when the plan is loaded.
struct Kernel {
  std::string name;
  KernelFn entry = nullptr;
  int64_t numTasks = 1;
  uint64_t scratchBytes = 0; ///< per thread
  int64_t picoseconds = 0;   ///< estimated time on one thread; 0 when nothing is known
  KernelJoin join = {};
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
struct Plan {
  std::vector<NamedType> inputs;
  std::vector<NamedType> outputs;
  std::vector<Tensor> constants;
  std::vector<Kernel> kernels;
  std::vector<Launch> prepare; ///< run once at load
  std::vector<Launch> steps;   ///< run in order for each call
  uint64_t arenaBytes = 0;
  uint64_t preparedBytes = 0;

  /// Bytes that running the plan allocates: arena, prepared buffers, outputs, scratch and
  /// shared memory.
  uint64_t plannedBytes(int threads) const;
  /// The same plan gives the same text.
  std::string toText() const;
};

} // namespace zyxc::rt
