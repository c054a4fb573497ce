// The state of a simulated multiprocessor: threads, memories, and how instructions are run. Threads
// run one after the other up to where they wait for others; instructions of a warp or warpgroup run
// when all its threads have arrived.
#pragma once
#include "runtime/devices/ptxsim/PtxText.h"
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace zyxc::rt::ptxsim {

/// A fault of a simulated kernel. Caught where a launch is simulated; never leaves this folder.
struct Fault {
  std::string text;
};

/// Memory of the device: allocations of the host, known by address, so that every access is
/// checked.
class DeviceMemory {
public:
  void add(uint64_t address, uint64_t bytes) { blocks[address] = bytes; }
  void remove(uint64_t address) { blocks.erase(address); }
  /// The host's pointer for an access that lies in one allocation and is aligned to `alignment`.
  std::byte *access(uint64_t address, uint64_t bytes, uint64_t alignment, const char *what) const;

private:
  std::map<uint64_t, uint64_t> blocks;
};

struct Block;

enum class ThreadState : uint8_t {
  Ready,
  Together, ///< at an instruction of a warp or warpgroup
  Barrier,  ///< at a barrier of the block
  Polling,  ///< an mbarrier was not complete
  Done,
};

/// Asynchronous work that was issued: groups of it in order, and what no group holds yet.
struct Pending {
  std::deque<std::vector<std::function<void()>>> groups;
  std::vector<std::function<void()>> open;

  void commit() { groups.push_back(std::exchange(open, {})); }
  /// Does the work of all groups but the last `remaining`.
  void wait(uint64_t remaining);
  /// Does all work.
  void finish() {
    commit();
    wait(0);
  }
};

struct Thread {
  std::vector<uint64_t> registers;
  std::vector<std::byte> local; ///< its own memory, where code has local variables
  uint32_t pc = 0;
  uint32_t id = 0;
  bool carry = false; ///< of the last sum with .cc
  ThreadState state = ThreadState::Ready;
  Block *block = nullptr;
  Pending copies; ///< cp.async

  /// A place in its own memory; faults as Block::sharedAt does.
  std::byte *localAt(uint64_t address, uint64_t bytes);
};

/// A barrier of a block (bar.sync, bar.arrive).
struct NamedBarrier {
  uint32_t arrived = 0;
  uint32_t expected = 0; ///< 0: all threads
  std::vector<Thread *> waiting;
};

/// A block while it runs.
struct Block {
  std::vector<std::byte> shared;
  std::span<const std::byte> parameters;
  const DeviceMemory *memory = nullptr;
  uint32_t index[3] = {};
  uint32_t grid[3] = {};
  uint32_t size = 0;
  std::vector<Thread> threads;
  std::map<uint32_t, NamedBarrier> barriers;

  /// Asynchronous work is done as late as waits allow; else when it is issued.
  bool isLate = false;
  std::deque<std::function<void()>> tensorCopies; ///< late ones; done when nothing else moves
  std::map<uint32_t, Pending> products;           ///< wgmma, by warp

  /// A place in shared memory; faults outside of it, or where it is not aligned.
  std::byte *sharedAt(uint64_t address, uint64_t bytes, uint64_t alignment);
};

using Warp = std::span<Thread *const>;

/// An instruction ready to run.
struct Instruction {
  enum class Kind : uint8_t { Alone, Together, Branch, Exit, Barrier, Arrive, Wait };
  Kind kind = Kind::Alone;
  int64_t predicate = -1;
  bool negated = false;
  uint32_t target = 0;                     ///< Branch
  uint32_t width = 32;                     ///< Together: threads
  std::function<void(Thread &)> run;       ///< Alone
  std::function<bool(Thread &)> completed; ///< Wait: whether the thread may go on
  std::function<void(Warp)> runTogether;
  std::function<uint64_t(Thread &)> barrier, count; ///< Barrier, Arrive; count may be empty
  std::string text;
};

/// Marks addresses of parameters: they are offsets.
constexpr uint64_t paramSpace = uint64_t(1) << 62;

/// Where symbols lie: shared and local variables, and parameters (offsets with paramSpace).
using Symbols = std::map<std::string, uint64_t>;

/// A value that an operand gives.
using Source = std::function<uint64_t(Thread &)>;
/// Fault for what is not known: the statement's text is added.
Source sourceOf(const Operand &operand, const Symbols &symbols);
/// The register that a result goes to; a number past all others for a sink.
uint32_t resultOf(const Operand &operand);
constexpr uint32_t sinkRegister = 0; ///< register 0 is nobody's

/// Decodes an instruction. Each returns false if the opcode is not among its own.
bool decodeScalar(const Statement &statement, const Symbols &symbols, Instruction &out);
bool decodeMemory(const Statement &statement, const Symbols &symbols, Instruction &out);
bool decodeWarp(const Statement &statement, const Symbols &symbols, Instruction &out);
bool decodeMatrix(const Statement &statement, const Symbols &symbols, Instruction &out);
bool decodeBarrier(const Statement &statement, const Symbols &symbols, Instruction &out);

/// A tensor map as the simulator encodes it, in the 128 bytes of a parameter.
struct SimTensorMap {
  uint64_t address;
  uint64_t dims[5];
  uint64_t strides[4]; ///< bytes
  uint32_t box[5];
  uint8_t rank, elementBytes;
  uint16_t swizzle; ///< bytes
};
static_assert(sizeof(SimTensorMap) <= 128);

/// Runs the threads of a block to their end. Faults are thrown.
void runBlock(Block &block, const std::vector<Instruction> &code);

} // namespace zyxc::rt::ptxsim
