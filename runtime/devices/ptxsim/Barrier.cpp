// Barriers of a block, mbarriers in shared memory, and the tensor copies that complete on them.
#include "runtime/devices/ptxsim/Machine.h"
#include <algorithm>
#include <cstring>

namespace zyxc::rt::ptxsim {

namespace {

/// The 8 bytes of an mbarrier.
struct MBarrier {
  uint16_t count;         ///< arrivals of a phase
  uint16_t pending;       ///< of them still missing
  uint32_t transfer : 31; ///< bytes still missing, biased so that copies may come before the expect
  uint32_t phase : 1;
};
static_assert(sizeof(MBarrier) == 8);

} // namespace

static constexpr uint32_t noTransfer = uint32_t(1) << 30;

/// Changes an mbarrier and begins its next phase when this one is complete.
template <class Change> static void update(Thread &thread, uint64_t address, Change change) {
  std::byte *at = thread.block->sharedAt(address, 8, 8);
  MBarrier barrier;
  std::memcpy(&barrier, at, sizeof barrier);
  if (barrier.count == 0) {
    throw Fault{"an mbarrier that was not initialized"};
  }
  change(barrier);
  if (barrier.pending == 0 && barrier.transfer == noTransfer) {
    barrier.pending = barrier.count;
    barrier.phase ^= 1;
  }
  std::memcpy(at, &barrier, sizeof barrier);
}

static void arrive(MBarrier &barrier) {
  if (barrier.pending == 0) {
    throw Fault{"more arrivals at an mbarrier than it counts"};
  }
  --barrier.pending;
}

static bool has(const Statement &s, std::string_view part) {
  return std::find(s.opcode.begin(), s.opcode.end(), part) != s.opcode.end();
}

static bool decodeMBarrier(const Statement &s, const Symbols &symbols, Instruction &out) {
  if (s.opcode[1] == "init") {
    out.run = [at = sourceOf(s.operands[0], symbols),
               count = sourceOf(s.operands[1], symbols)](Thread &t) {
      auto arrivals = static_cast<uint16_t>(count(t));
      MBarrier barrier{arrivals, arrivals, noTransfer, 0};
      std::memcpy(t.block->sharedAt(at(t), 8, 8), &barrier, sizeof barrier);
    };
  } else if (s.opcode[1] == "arrive") {
    bool expects = has(s, "expect_tx");
    Source at = sourceOf(s.operands[1], symbols);
    Source bytes = expects ? sourceOf(s.operands[2], symbols) : [](Thread &) {
      return uint64_t(0);
    };
    out.run = [=](Thread &t) {
      update(t, at(t), [&](MBarrier &barrier) {
        barrier.transfer += static_cast<uint32_t>(bytes(t));
        arrive(barrier);
      });
    };
  } else if (s.opcode[1] == "try_wait" && has(s, "parity")) {
    out.kind = Instruction::Kind::Wait;
    out.completed = [d = resultOf(s.operands[0]), at = sourceOf(s.operands[1], symbols),
                     parity = sourceOf(s.operands[2], symbols)](Thread &t) {
      MBarrier barrier;
      std::memcpy(&barrier, t.block->sharedAt(at(t), 8, 8), sizeof barrier);
      bool complete = barrier.phase != (parity(t) & 1);
      t.registers[d] = complete;
      return complete;
    };
  } else {
    return false;
  }
  return true;
}

/// Where a byte of a swizzled box lies: 16-byte chunks change places in each 1024 bytes.
static uint64_t swizzled(uint64_t address, uint32_t swizzle) {
  uint64_t chunks = swizzle / 16; // 0, 2, 4, 8
  return chunks == 0 ? address : address ^ ((address >> 7 & (chunks - 1)) << 4);
}

/// Copies a box; what lies outside of the tensor is zero.
static void copyBox(Thread &thread, const SimTensorMap &map, std::span<const int64_t> start,
                    uint64_t to) {
  uint64_t elements = 1;
  for (unsigned i = 0; i < map.rank; ++i) {
    elements *= map.box[i];
  }
  uint64_t rowBytes = uint64_t(map.box[0]) * map.elementBytes;
  uint64_t alignment = map.swizzle ? map.swizzle * 8 : 128;
  thread.block->sharedAt(to, elements * map.elementBytes, alignment);
  for (uint64_t row = 0; row < elements / map.box[0]; ++row) {
    uint64_t rest = row, address = map.address;
    bool inside = true;
    for (unsigned i = 1; i < map.rank; ++i) {
      int64_t at = start[i] + static_cast<int64_t>(rest % map.box[i]);
      rest /= map.box[i];
      inside &= at >= 0 && at < static_cast<int64_t>(map.dims[i]);
      address += static_cast<uint64_t>(at) * map.strides[i - 1];
    }
    for (uint64_t column = 0; column < map.box[0]; ++column) {
      int64_t at = start[0] + static_cast<int64_t>(column);
      uint64_t place = swizzled(to + row * rowBytes + column * map.elementBytes, map.swizzle);
      std::byte *target = thread.block->shared.data() + place;
      if (!inside || at < 0 || at >= static_cast<int64_t>(map.dims[0])) {
        std::memset(target, 0, map.elementBytes);
        continue;
      }
      uint64_t from = address + static_cast<uint64_t>(at) * map.elementBytes;
      std::memcpy(target, thread.block->memory->access(from, map.elementBytes, 1, "a tensor copy"),
                  map.elementBytes);
    }
  }
}

/// cp.async.bulk.tensor.Nd.shared::cluster.global.mbarrier::complete_tx::bytes
///   [to], [map, {coordinates}], [mbarrier]
static void decodeTensorCopy(const Statement &s, const Symbols &symbols, Instruction &out) {
  if (s.opcode[5] != "shared::cluster" || s.operands.size() != 3) {
    throw Fault{"tensor copy"};
  }
  Source to = sourceOf(s.operands[0], symbols), bar = sourceOf(s.operands[2], symbols);
  Source map = sourceOf(s.operands[1].parts[0], symbols);
  std::vector<Source> coordinates;
  for (size_t i = 1; i < s.operands[1].parts.size(); ++i) {
    coordinates.push_back(sourceOf(s.operands[1].parts[i], symbols));
  }
  out.run = [=](Thread &t) {
    uint64_t offset = map(t);
    SimTensorMap tensor;
    if (!(offset & paramSpace) ||
        (offset & ~paramSpace) + sizeof tensor > t.block->parameters.size()) {
      throw Fault{"the map is not a parameter"};
    }
    std::memcpy(&tensor, t.block->parameters.data() + (offset & ~paramSpace), sizeof tensor);
    if (tensor.rank != coordinates.size()) {
      throw Fault{fmt::format("a map of rank {}", tensor.rank)};
    }
    std::vector<int64_t> start;
    uint64_t bytes = tensor.elementBytes;
    for (size_t i = 0; i < coordinates.size(); ++i) {
      start.push_back(static_cast<int32_t>(coordinates[i](t)));
      bytes *= tensor.box[i];
    }
    // An illegal instruction on an H200: the first element of a box starts a unit of 16 bytes.
    if (start[0] * static_cast<int64_t>(tensor.elementBytes) % 16 != 0) {
      throw Fault{"a tensor copy whose innermost coordinate is no multiple of 16 bytes"};
    }
    auto copy = [&t, tensor, start, place = to(t), barrier = bar(t), bytes] {
      copyBox(t, tensor, start, place);
      update(t, barrier, [&](MBarrier &each) { each.transfer -= static_cast<uint32_t>(bytes); });
    };
    if (t.block->isLate) {
      t.block->tensorCopies.push_back(copy);
    } else {
      copy();
    }
  };
}

bool decodeBarrier(const Statement &s, const Symbols &symbols, Instruction &out) {
  const std::string &name = s.opcode[0];
  if (name == "mbarrier") {
    return decodeMBarrier(s, symbols, out);
  }
  if (name == "cp" && s.opcode[2] == "mbarrier") {
    // The arrival comes when this thread's copies are done: as early as it may.
    out.run = [at = sourceOf(s.operands[0], symbols)](Thread &t) {
      t.copies.finish();
      update(t, at(t), [](MBarrier &barrier) { arrive(barrier); });
    };
    return true;
  }
  if (name == "cp" && s.opcode[2] == "bulk" && s.opcode[3] == "tensor") {
    decodeTensorCopy(s, symbols, out);
    return true;
  }
  bool isBarrier = name == "bar" || name == "barrier";
  if (isBarrier && (has(s, "sync") || has(s, "arrive")) && !has(s, "warp")) {
    out.kind = has(s, "arrive") ? Instruction::Kind::Arrive : Instruction::Kind::Barrier;
    out.barrier = sourceOf(s.operands[0], symbols);
    if (s.operands.size() > 1) {
      out.count = sourceOf(s.operands[1], symbols);
    }
    return true;
  }
  return false;
}

} // namespace zyxc::rt::ptxsim
