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

/// What the addresses of arena, prepared memory and outputs are a multiple of, in bytes. Inputs,
/// written ones too, and constants may be views of memory at any address that suits their elements;
/// so may the inputs and the outputs of bodies, which are ports of a launch, or rows of one.
inline constexpr uint64_t outputAlignment = 64;

/// No tensor, arena or scratch memory of a plan exceeds this, so that sums of them do not overflow.
inline constexpr uint64_t mostPlanBytes = uint64_t(1) << 48;
/// No kernel has more tasks, no loop more iterations.
inline constexpr int64_t mostPlanTasks = int64_t(1) << 48;
/// Bodies that a plan may have, those of its bodies included, and how deep they may nest.
inline constexpr size_t mostPlanBodies = 4096;
inline constexpr int mostPlanDepth = 16;

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

/// What a kernel does that runs other programs of the plan instead of code. It has no tasks then,
/// no join, no dims. The ports of a launch are, by kind:
/// - If: the condition (a bool of rank 0), captures.., results... The inputs of both bodies are the
///   captures, their outputs the results. One of them runs.
/// - Loop: first (a bool of rank 0), initial carried values.., captures.., final carried values..,
///   collected... The inputs of the body are the number of the iteration (an i64 of rank 0: 0, 1,
///   ..), carried values.., captures..; its outputs again (a bool of rank 0), carried values.., one
///   row of each collected. It runs for (i = 0; i < limit && condition; ++i), where the condition
///   is `first`, then `again` of the iteration before. Carried values keep their types. A collected
///   result has the shape [limit, ..row]: iteration i writes row i in place, rows of iterations
///   that did not run are zero. A final carried value may lie where its initial value does, but on
///   no capture.
/// A capture that a body writes (NamedType::written) must be a port that may be written.
struct Control {
  enum class Kind : uint8_t { None, If, Loop };
  Kind kind = Kind::None;
  std::vector<uint32_t> bodies = {}; ///< in Plan::bodies. If: then, else. Loop: one
  int64_t limit = 0;                 ///< Loop: the most iterations; a size
  uint32_t numCarried = 0;           ///< Loop
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
  Control control = {};
  /// A custom kernel: the C function of this name, of a library that the user names, is the entry.
  std::string symbol = {};
  /// A library kernel: the library whose function `symbol` is ("cblas", runtime/library). `dims`
  /// are what the function is called with. Empty: of no known library.
  std::string library = {};
  /// The library's function, a slot before the dims; filled when the plan is loaded.
  const void *function = nullptr;

  /// True if its code is the plan's own: it neither runs bodies nor is custom, nor of a library.
  bool hasCode() const { return control.kind == Control::Kind::None && symbol.empty(); }
  /// True if its tasks, its shared memory, its dims or the limit of its loop are symbolic.
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
  /// Of an input: steps may write it, as an output port of the space Input, and the caller finds
  /// what they wrote in its memory. For state, such as the keys and values of a decoder.
  bool written = false;
};

/// A program of launches. It owns its constants; kernel entries belong to whoever compiled them.
/// With symbolic sizes it is a plan for all values of their variables: a static one is made of it
/// for each. What prepare steps use is static in any case.
///
/// Bodies are plans of their own: constants, kernels, prepare steps (which run once, when the whole
/// plan is loaded), arena, guards. Each is the body of one kernel. Their symbolic sizes are those
/// of the plan, with the same values. Scratch and shared memory are one for all.
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
  std::vector<Plan> bodies; ///< of its kernels with control

  /// True if sizes are open, in bodies too: the plan must be bound before it runs.
  bool isSymbolic() const;
  /// Bytes that running a static plan allocates: arenas, prepared buffers and carried values, of
  /// bodies too, outputs, scratch and shared memory.
  uint64_t plannedBytes(int threads) const;
  /// The same plan gives the same text.
  std::string toText() const;
};

/// The plan, then its bodies, each before its own bodies: the order in which lists of a whole plan
/// (code, constants in files) go.
std::vector<const Plan *> wholePlan(const Plan &plan);
std::vector<Plan *> wholePlan(Plan &plan);

/// Bytes of the second copy of carried values that a loop with a static body needs, each aligned.
uint64_t carriedBytes(const Plan &body, uint32_t numCarried);

} // namespace zyxc::rt
