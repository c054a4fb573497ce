#include "runtime/devices/ptxsim/Machine.h"
#include <algorithm>
#include <cstring>

namespace zyxc::rt::ptxsim {

std::byte *DeviceMemory::access(uint64_t address, uint64_t bytes, uint64_t alignment,
                                const char *what) const {
  auto above = blocks.upper_bound(address);
  if (above != blocks.begin()) {
    auto [begin, size] = *std::prev(above);
    if (address - begin + bytes <= size) {
      if (address % alignment != 0) {
        throw Fault{
            fmt::format("{}: address {:#x} is not a multiple of {}", what, address, alignment)};
      }
      return reinterpret_cast<std::byte *>(address);
    }
  }
  throw Fault{fmt::format("{}: {} bytes at {:#x} are in no allocation", what, bytes, address)};
}

std::byte *Block::sharedAt(uint64_t address, uint64_t bytes, uint64_t alignment) {
  address &= 0xffffffff; // of 32 bits: offsets may be negative
  if (address + bytes > shared.size() || address % alignment != 0) {
    throw Fault{fmt::format("{} bytes at {} of {} bytes of shared memory, or not a multiple of {}",
                            bytes, address, shared.size(), alignment)};
  }
  return shared.data() + address;
}

std::byte *Thread::localAt(uint64_t address, uint64_t bytes) {
  if (address > local.size() || bytes > local.size() - address || address % bytes != 0) {
    throw Fault{fmt::format("{} bytes at {} of {} bytes of local memory, or not a multiple of them",
                            bytes, address, local.size())};
  }
  return local.data() + address;
}

void Pending::wait(uint64_t remaining) {
  while (groups.size() > remaining) {
    for (const std::function<void()> &work : std::exchange(groups.front(), {})) {
      work();
    }
    groups.pop_front();
  }
}

/// Registers %tid.x, .. and what else has a name of its own.
static Source specialSource(const std::string &name) {
  auto dimension = [&] {
    return static_cast<size_t>(name.back() - 'x');
  };
  if (name.starts_with("%tid.")) {
    return [d = dimension()](Thread &t) -> uint64_t {
      return d == 0 ? t.id : 0;
    };
  }
  if (name.starts_with("%ctaid.")) {
    return [d = dimension()](Thread &t) -> uint64_t {
      return t.block->index[d];
    };
  }
  if (name.starts_with("%nctaid.")) {
    return [d = dimension()](Thread &t) -> uint64_t {
      return t.block->grid[d];
    };
  }
  if (name.starts_with("%ntid.")) {
    return [d = dimension()](Thread &t) -> uint64_t {
      return d == 0 ? t.block->size : 1;
    };
  }
  if (name == "%laneid") {
    return [](Thread &t) -> uint64_t {
      return t.id % 32;
    };
  }
  throw Fault{"register " + name};
}

Source sourceOf(const Operand &operand, const Symbols &symbols) {
  switch (operand.kind) {
  case Operand::Kind::Register:
    return [r = operand.number](Thread &t) {
      return t.registers[r];
    };
  case Operand::Kind::Constant:
    return [bits = operand.bits](Thread &) {
      return bits;
    };
  case Operand::Kind::Special: return specialSource(operand.name);
  case Operand::Kind::Symbol: {
    auto found = symbols.find(operand.name);
    if (found == symbols.end()) {
      throw Fault{"symbol " + operand.name};
    }
    return [address = found->second](Thread &) {
      return address;
    };
  }
  case Operand::Kind::Address: {
    Source base = sourceOf(operand.parts[0], symbols);
    return [base, offset = operand.bits](Thread &t) {
      return base(t) + offset;
    };
  }
  default: break;
  }
  throw Fault{"operand"};
}

uint32_t resultOf(const Operand &operand) {
  if (operand.kind == Operand::Kind::Sink) {
    return sinkRegister;
  }
  if (operand.kind != Operand::Kind::Register) {
    throw Fault{"result"};
  }
  return operand.number;
}

static bool isEnabled(const Instruction &instruction, const Thread &thread) {
  return instruction.predicate < 0 ||
         (thread.registers[static_cast<size_t>(instruction.predicate)] != 0) != instruction.negated;
}

namespace {

/// Runs the threads of one block in turns.
class Scheduler {
public:
  Scheduler(Block &block, const std::vector<Instruction> &code) : block(block), code(code) {
    for (Thread &thread : block.threads) {
      threads.push_back(&thread);
    }
  }

  void run() {
    while (step()) {
    }
    for (const Thread &thread : block.threads) {
      if (thread.state != ThreadState::Done) {
        deadlock();
      }
    }
  }

private:
  bool step();
  bool advance(Thread &thread);
  bool arrive(Thread &thread, const Instruction &instruction);
  bool runTogether();
  bool releaseBarriers();
  size_t numLive() const {
    return static_cast<size_t>(std::count_if(
        threads.begin(), threads.end(), [](Thread *t) { return t->state != ThreadState::Done; }));
  }
  [[noreturn]] void deadlock() const;

  Block &block;
  const std::vector<Instruction> &code;
  std::vector<Thread *> threads;
};

} // namespace

void Scheduler::deadlock() const {
  std::map<uint32_t, unsigned> places;
  for (const Thread &thread : block.threads) {
    if (thread.state != ThreadState::Done) {
      ++places[thread.pc];
    }
  }
  std::string text = fmt::format("block {} hangs:", block.index[0]);
  for (auto [pc, count] : places) {
    text += fmt::format(" {} threads at '{}' (statement {});", count, code[pc].text, pc);
  }
  throw Fault{text};
}

/// Runs a thread up to where it waits. True if it moved.
bool Scheduler::advance(Thread &thread) {
  bool moved = false;
  for (;;) {
    const Instruction &instruction = code[thread.pc];
    if (!isEnabled(instruction, thread)) {
      ++thread.pc;
      moved = true;
      continue;
    }
    switch (instruction.kind) {
    case Instruction::Kind::Alone: try { instruction.run(thread);
      } catch (Fault &fault) {
        throw Fault{fmt::format("thread {} of block {},{}: '{}': {}", thread.id, block.index[0],
                                block.index[1], instruction.text, fault.text)};
      }
      ++thread.pc;
      break;
    case Instruction::Kind::Branch: thread.pc = instruction.target; break;
    case Instruction::Kind::Exit:
      thread.copies.finish();
      thread.state = ThreadState::Done;
      return true;
    case Instruction::Kind::Together: thread.state = ThreadState::Together; return true;
    case Instruction::Kind::Barrier: return arrive(thread, instruction);
    case Instruction::Kind::Arrive: arrive(thread, instruction); break;
    case Instruction::Kind::Wait:
      // Its result says whether to go on; the loop around it tries again.
      if (!instruction.completed(thread)) {
        thread.state = ThreadState::Polling;
        return moved;
      }
      ++thread.pc;
      break;
    }
    moved = true;
  }
}

/// At bar.sync or bar.arrive.
bool Scheduler::arrive(Thread &thread, const Instruction &instruction) {
  NamedBarrier &barrier = block.barriers[static_cast<uint32_t>(instruction.barrier(thread))];
  barrier.expected = instruction.count ? static_cast<uint32_t>(instruction.count(thread)) : 0;
  ++barrier.arrived;
  ++thread.pc;
  if (instruction.kind == Instruction::Kind::Barrier) {
    barrier.waiting.push_back(&thread);
    thread.state = ThreadState::Barrier;
  }
  return true;
}

bool Scheduler::releaseBarriers() {
  bool released = false;
  for (auto &[id, barrier] : block.barriers) {
    size_t expected = barrier.expected ? barrier.expected : numLive();
    if (barrier.arrived == 0 || barrier.arrived < expected) {
      continue;
    }
    for (Thread *thread : barrier.waiting) {
      thread->state = ThreadState::Ready;
    }
    barrier = {};
    released = true;
  }
  return released;
}

/// Runs instructions of warps and warpgroups all of whose threads have arrived.
bool Scheduler::runTogether() {
  bool ran = false;
  constexpr size_t warp = 32;
  for (size_t first = 0; first < threads.size(); first += warp) {
    Thread &leader = *threads[first];
    if (leader.state != ThreadState::Together) {
      continue;
    }
    const Instruction &instruction = code[leader.pc];
    if (first % instruction.width != 0 || first + instruction.width > threads.size()) {
      continue; // a warpgroup's later warp
    }
    Warp together = std::span(threads).subspan(first, instruction.width);
    bool all = std::all_of(together.begin(), together.end(), [&](Thread *thread) {
      return thread->state == ThreadState::Together && thread->pc == leader.pc;
    });
    if (!all) {
      continue;
    }
    try {
      instruction.runTogether(together);
    } catch (Fault &fault) {
      throw Fault{fmt::format("warp {} of block {}: '{}': {}", first / warp, block.index[0],
                              instruction.text, fault.text)};
    }
    for (Thread *thread : together) {
      ++thread->pc;
      thread->state = ThreadState::Ready;
    }
    ran = true;
  }
  return ran;
}

/// One turn of all threads. False when nothing moves any more.
bool Scheduler::step() {
  bool moved = false;
  for (Thread *thread : threads) {
    if (thread->state == ThreadState::Ready) {
      moved |= advance(*thread);
    } else if (thread->state == ThreadState::Polling) {
      thread->state = ThreadState::Ready;
      moved |= advance(*thread);
    }
  }
  moved |= runTogether();
  moved |= releaseBarriers();
  if (!moved && !block.tensorCopies.empty()) {
    std::exchange(block.tensorCopies.front(), {})();
    block.tensorCopies.pop_front();
    return true;
  }
  return moved;
}

void runBlock(Block &block, const std::vector<Instruction> &code) {
  Scheduler(block, code).run();
}

} // namespace zyxc::rt::ptxsim
