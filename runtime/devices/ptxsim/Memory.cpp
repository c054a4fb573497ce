// Loads, stores, copies and updates of memory by one thread.
#include "runtime/devices/ptxsim/Machine.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace zyxc::rt::ptxsim {

static bool has(const Statement &s, std::string_view part) {
  return std::find(s.opcode.begin(), s.opcode.end(), part) != s.opcode.end();
}

/// Bytes of the last type of an opcode.
static unsigned elementBytes(const Statement &s) {
  const std::string &type = s.opcode.back();
  size_t digits = type.find_first_of("0123456789");
  if (digits == type.npos) {
    throw Fault{"type"};
  }
  return static_cast<unsigned>(std::atoi(type.c_str() + digits)) / 8;
}

namespace {

/// Memory that is written.
enum class MemorySpace : uint8_t { Global, Shared, Local };

} // namespace

/// The host's pointer for an access.
static std::byte *locate(Thread &thread, MemorySpace space, uint64_t address, uint64_t bytes) {
  switch (space) {
  case MemorySpace::Global:
    return thread.block->memory->access(address, bytes, bytes, "global memory");
  case MemorySpace::Shared: return thread.block->sharedAt(address, bytes, bytes);
  case MemorySpace::Local: return thread.localAt(address, bytes);
  }
  return nullptr;
}

/// Parameters are read in another way.
static MemorySpace spaceOf(const Statement &s) {
  if (has(s, "local")) {
    return MemorySpace::Local;
  }
  if (has(s, "shared") || has(s, "shared::cta")) {
    return MemorySpace::Shared;
  }
  if (!has(s, "global") && !has(s, "param")) {
    throw Fault{"memory space"};
  }
  return MemorySpace::Global;
}

static std::vector<const Operand *> elements(const Operand &operand) {
  std::vector<const Operand *> list;
  if (operand.kind == Operand::Kind::List) {
    for (const Operand &part : operand.parts) {
      list.push_back(&part);
    }
  } else {
    list.push_back(&operand);
  }
  return list;
}

static void decodeLoad(const Statement &s, const Symbols &symbols, Instruction &out) {
  MemorySpace space = spaceOf(s);
  unsigned bytes = elementBytes(s);
  bool isSigned = s.opcode.back()[0] == 's';
  std::vector<uint32_t> results;
  uint64_t resultMask = ~uint64_t(0);
  for (const Operand *each : elements(s.operands[0])) {
    results.push_back(resultOf(*each));
    if (each->kind == Operand::Kind::Register && each->width < 64) {
      resultMask = (uint64_t(1) << each->width) - 1;
    }
  }
  Source address = sourceOf(s.operands[1], symbols);
  bool isParam = has(s, "param");
  out.run = [=](Thread &t) {
    uint64_t total = bytes * results.size();
    const std::byte *at = nullptr;
    if (isParam) {
      uint64_t offset = address(t) & ~paramSpace;
      if (offset + total > t.block->parameters.size()) {
        throw Fault{"outside of the parameters"};
      }
      at = t.block->parameters.data() + offset;
    } else {
      at = locate(t, space, address(t), total);
    }
    for (uint32_t result : results) {
      uint64_t value = 0;
      std::memcpy(&value, at, bytes);
      if (isSigned && bytes < 8 && (value >> (8 * bytes - 1)) != 0) {
        value |= ~uint64_t(0) << (8 * bytes); // to the width of the register
      }
      t.registers[result] = value & resultMask;
      at += bytes;
    }
  };
}

static void decodeStore(const Statement &s, const Symbols &symbols, Instruction &out) {
  MemorySpace space = spaceOf(s);
  unsigned bytes = elementBytes(s);
  std::vector<Source> values;
  for (const Operand *each : elements(s.operands[1])) {
    values.push_back(sourceOf(*each, symbols));
  }
  out.run = [=, address = sourceOf(s.operands[0], symbols)](Thread &t) {
    std::byte *at = locate(t, space, address(t), bytes * values.size());
    for (const Source &source : values) {
      uint64_t value = source(t);
      std::memcpy(at, &value, bytes);
      at += bytes;
    }
  };
}

/// atom and red: threads run one after the other, so an update is whole by itself.
static void decodeUpdate(const Statement &s, const Symbols &symbols, Instruction &out) {
  bool gives = s.opcode[0] == "atom";
  unsigned bytes = elementBytes(s);
  MemorySpace space = has(s, "shared") ? MemorySpace::Shared : MemorySpace::Global;
  bool isFloat = s.opcode.back()[0] == 'f', isSigned = s.opcode.back()[0] == 's';
  if ((isFloat && bytes != 4) || bytes < 4) {
    throw Fault{"type of an update"};
  }
  uint32_t d = gives ? resultOf(s.operands[0]) : sinkRegister;
  Source address = sourceOf(s.operands[gives], symbols);
  Source value = sourceOf(s.operands[gives + 1], symbols);
  std::string how;
  for (const char *each : {"add", "min", "max", "and", "or", "xor", "exch"}) {
    how = has(s, each) ? each : how;
  }
  if (how.empty()) {
    throw Fault{"update"};
  }
  out.run = [=](Thread &t) {
    std::byte *at = locate(t, space, address(t), bytes);
    uint64_t old = 0, operand = value(t);
    std::memcpy(&old, at, bytes);
    auto less = [&](uint64_t a, uint64_t b) {
      return !isSigned ? a < b : bytes == 4 ? int32_t(a) < int32_t(b) : int64_t(a) < int64_t(b);
    };
    uint64_t result = operand;
    if (how == "add" && isFloat) {
      result = std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t(old)) +
                                       std::bit_cast<float>(uint32_t(operand)));
    } else if (how == "add") {
      result = old + operand;
    } else if (how == "min") {
      result = less(old, operand) ? old : operand;
    } else if (how == "max") {
      result = less(old, operand) ? operand : old;
    } else if (how == "and") {
      result = old & operand;
    } else if (how == "or") {
      result = old | operand;
    } else if (how == "xor") {
      result = old ^ operand;
    }
    std::memcpy(at, &result, bytes);
    t.registers[d] = old;
  };
}

/// cp.async.cg.shared.global [to], [from], bytes {, bytes read}: the rest is zero.
static void decodeCopy(const Statement &s, const Symbols &symbols, Instruction &out) {
  Source to = sourceOf(s.operands[0], symbols), from = sourceOf(s.operands[1], symbols);
  uint64_t bytes = s.operands[2].bits;
  Source read = sourceOf(s.operands[s.operands.size() > 3 ? 3 : 2], symbols);
  out.run = [=](Thread &t) {
    std::byte *at = t.block->sharedAt(to(t), bytes, bytes);
    uint64_t count = std::min(read(t), bytes), source = from(t);
    const DeviceMemory &memory = *t.block->memory;
    // The address is that of a whole copy, also where only a part is read.
    if (count > 0 && source % bytes != 0) {
      throw Fault{fmt::format("address {:#x} is not a multiple of {}", source, bytes)};
    }
    auto copy = [=, &memory] {
      std::memset(at, 0, bytes);
      if (count > 0) {
        std::memcpy(at, memory.access(source, count, 1, "copied from"), count);
      }
    };
    if (t.block->isLate) {
      t.copies.open.push_back(copy);
    } else {
      copy();
    }
  };
}

bool decodeMemory(const Statement &s, const Symbols &symbols, Instruction &out) {
  const std::string &name = s.opcode[0];
  if (name == "ld") {
    decodeLoad(s, symbols, out);
  } else if (name == "st") {
    decodeStore(s, symbols, out);
  } else if (name == "atom" || name == "red") {
    decodeUpdate(s, symbols, out);
  } else if (name == "cp" && (s.opcode[2] == "cg" || s.opcode[2] == "ca")) {
    decodeCopy(s, symbols, out);
  } else if (name == "cp" && s.opcode[2] == "commit_group") {
    out.run = [](Thread &t) {
      t.copies.commit();
    };
  } else if (name == "cp" && s.opcode[2] == "wait_group") {
    out.run = [remaining = s.operands[0].bits](Thread &t) {
      t.copies.wait(remaining);
    };
  } else if (name == "cp" && s.opcode[2] == "wait_all") {
    out.run = [](Thread &t) {
      t.copies.finish();
    };
  } else if (name == "fence" || name == "membar" || name == "setmaxnreg" ||
             name == "griddepcontrol") { // launches run one after the other

    out.run = [](Thread &) {
    };
  } else {
    return false;
  }
  return true;
}

} // namespace zyxc::rt::ptxsim
