// Instructions of a warp: shuffles, votes.
#include "runtime/devices/ptxsim/Machine.h"
#include <array>

namespace zyxc::rt::ptxsim {

/// shfl.sync.MODE.b32 result{|valid}, value, distance, clamp, members
static void decodeShuffle(const Statement &s, const Symbols &symbols, Instruction &out) {
  bool hasValid = s.operands.size() == 6;
  uint32_t d = resultOf(s.operands[0]);
  uint32_t valid = hasValid ? resultOf(s.operands[1]) : sinkRegister;
  Source value = sourceOf(s.operands[1 + hasValid], symbols);
  Source distance = sourceOf(s.operands[2 + hasValid], symbols);
  Source clamp = sourceOf(s.operands[3 + hasValid], symbols);
  std::string mode = s.opcode[2];
  out.runTogether = [=](Warp warp) {
    std::array<uint64_t, 32> values{}, results{};
    std::array<bool, 32> inside{};
    for (size_t lane = 0; lane < 32; ++lane) {
      values[lane] = value(*warp[lane]);
    }
    for (uint32_t lane = 0; lane < 32; ++lane) {
      Thread &thread = *warp[lane];
      auto by = static_cast<uint32_t>(distance(thread)) & 31;
      auto c = static_cast<uint32_t>(clamp(thread));
      uint32_t segment = (c >> 8) & 31;
      uint32_t last = (lane & segment) | (c & 31 & ~segment), first = lane & segment;
      uint32_t from = mode == "bfly"   ? lane ^ by
                      : mode == "up"   ? lane - by
                      : mode == "down" ? lane + by
                                       : first | (by & ~segment);
      inside[lane] =
          mode == "up" ? static_cast<int32_t>(from) >= static_cast<int32_t>(last) : from <= last;
      results[lane] = values[inside[lane] ? from : lane];
    }
    for (size_t lane = 0; lane < 32; ++lane) {
      warp[lane]->registers[valid] = inside[lane];
      warp[lane]->registers[d] = results[lane];
    }
  };
}

/// vote.sync.any|all|ballot
static void decodeVote(const Statement &s, const Symbols &symbols, Instruction &out) {
  std::string mode = s.opcode[2];
  out.runTogether = [=, d = resultOf(s.operands[0]),
                     p = sourceOf(s.operands[1], symbols)](Warp warp) {
    uint64_t ballot = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      ballot |= uint64_t(p(*warp[lane]) != 0) << lane;
    }
    uint64_t result = mode == "any" ? ballot != 0 : mode == "all" ? ballot == 0xffffffff : ballot;
    for (Thread *thread : warp) {
      thread->registers[d] = result;
    }
  };
}

bool decodeWarp(const Statement &s, const Symbols &symbols, Instruction &out) {
  const std::string &name = s.opcode[0];
  if (name == "shfl" && s.opcode[1] == "sync") {
    decodeShuffle(s, symbols, out);
  } else if (name == "vote" && s.opcode[1] == "sync") {
    decodeVote(s, symbols, out);
  } else if (name == "bar" && s.opcode[1] == "warp") {
    out.runTogether = [](Warp) {
    };
  } else {
    return false;
  }
  out.kind = Instruction::Kind::Together;
  out.width = 32;
  return true;
}

} // namespace zyxc::rt::ptxsim
