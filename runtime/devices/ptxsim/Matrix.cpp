// Instructions of matrix units: mma.sync, ldmatrix, wgmma.
#include "runtime/devices/ptxsim/Machine.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace zyxc::rt::ptxsim {

/// A half-precision number, or one of bf16.
static float halfValue(uint16_t bits, bool isBf16) {
  if (isBf16) {
    return std::bit_cast<float>(uint32_t(bits) << 16);
  }
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31  ? (fraction ? NAN : INFINITY)
                : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                : std::bit_cast<float>((exponent + 112) << 23 | fraction << 13);
  return bits >> 15 ? -value : value;
}

static std::vector<Source> sources(const Operand &list, const Symbols &symbols) {
  std::vector<Source> result;
  for (const Operand &part : list.parts) {
    result.push_back(sourceOf(part, symbols));
  }
  return result;
}

static std::vector<uint32_t> results(const Operand &list) {
  std::vector<uint32_t> registers;
  for (const Operand &part : list.parts) {
    registers.push_back(resultOf(part));
  }
  return registers;
}

/// A matrix of f32, row-major.
struct Tile {
  Tile(size_t rows, size_t columns) : columns(columns), values(rows * columns) {}
  float &at(size_t row, size_t column) { return values[row * columns + column]; }
  size_t columns;
  std::vector<float> values;
};

/// Element (row, column) of an accumulator of m16 or m64 by n8 tiles: register i of a thread.
static std::pair<size_t, size_t> accumulatorPlace(size_t thread, size_t i) {
  size_t warp = thread / 32, lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
}

/// Reads the four registers of an m16k16 (per warp) operand A of halves.
static void readA(Warp threads, const std::vector<Source> &a, bool isBf16, Tile &tile) {
  for (size_t t = 0; t < threads.size(); ++t) {
    size_t warp = t / 32, lane = t % 32;
    for (size_t i = 0; i < 4; ++i) {
      uint64_t pair = a[i](*threads[t]);
      size_t row = 16 * warp + lane / 4 + 8 * (i % 2), column = 2 * (lane % 4) + 8 * (i / 2);
      tile.at(row, column) = halfValue(static_cast<uint16_t>(pair), isBf16);
      tile.at(row, column + 1) = halfValue(static_cast<uint16_t>(pair >> 16), isBf16);
    }
  }
}

/// sum += a * b, a is [rows, 16], b [columns, 16].
static void multiply(Tile &sum, Tile &a, Tile &b, size_t rows) {
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < sum.columns; ++column) {
      float total = 0;
      for (size_t k = 0; k < 16; ++k) {
        total += a.at(row, k) * b.at(column, k);
      }
      sum.at(row, column) += total;
    }
  }
}

/// mma.sync.aligned.m16n8k16.row.col.f32.T.T.f32
static void decodeMma(const Statement &s, const Symbols &symbols, Instruction &out) {
  bool isBf16 = s.opcode[7] == "bf16";
  if (s.opcode[3] != "m16n8k16" || s.opcode[6] != "f32" || (!isBf16 && s.opcode[7] != "f16")) {
    throw Fault{"matrix shape"};
  }
  auto d = results(s.operands[0]);
  auto a = sources(s.operands[1], symbols), b = sources(s.operands[2], symbols);
  auto c = sources(s.operands[3], symbols);
  out.runTogether = [=](Warp warp) {
    Tile left(16, 16), right(8, 16), sum(16, 8);
    readA(warp, a, isBf16, left);
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t i = 0; i < 2; ++i) {
        uint64_t pair = b[i](*warp[lane]);
        size_t k = 2 * (lane % 4) + 8 * i;
        right.at(lane / 4, k) = halfValue(static_cast<uint16_t>(pair), isBf16);
        right.at(lane / 4, k + 1) = halfValue(static_cast<uint16_t>(pair >> 16), isBf16);
      }
      for (size_t i = 0; i < 4; ++i) {
        auto [row, column] = accumulatorPlace(lane, i);
        sum.at(row, column) = std::bit_cast<float>(static_cast<uint32_t>(c[i](*warp[lane])));
      }
    }
    multiply(sum, left, right, 16);
    for (size_t lane = 0; lane < 32; ++lane) {
      for (size_t i = 0; i < 4; ++i) {
        auto [row, column] = accumulatorPlace(lane, i);
        warp[lane]->registers[d[i]] = std::bit_cast<uint32_t>(sum.at(row, column));
      }
    }
  };
}

/// ldmatrix.sync.aligned.m8n8.xN{.trans}.shared.b16: lane 8 i + r gives the address of row r of
/// matrix i.
static void decodeLoadMatrix(const Statement &s, const Symbols &symbols, Instruction &out) {
  bool transposed = std::find(s.opcode.begin(), s.opcode.end(), "trans") != s.opcode.end();
  auto d = results(s.operands[0]);
  out.runTogether = [=, address = sourceOf(s.operands[1], symbols)](Warp warp) {
    std::vector<std::array<uint64_t, 32>> loaded(d.size());
    for (size_t i = 0; i < d.size(); ++i) {
      uint16_t matrix[8][8];
      for (size_t row = 0; row < 8; ++row) {
        Thread &owner = *warp[8 * i + row];
        std::memcpy(matrix[row], owner.block->sharedAt(address(owner), 16, 16), 16);
      }
      for (size_t lane = 0; lane < 32; ++lane) {
        size_t row = lane / 4, column = 2 * (lane % 4);
        uint64_t low = transposed ? matrix[column][row] : matrix[row][column];
        uint64_t high = transposed ? matrix[column + 1][row] : matrix[row][column + 1];
        loaded[i][lane] = low | high << 16;
      }
    }
    for (size_t i = 0; i < d.size(); ++i) {
      for (size_t lane = 0; lane < 32; ++lane) {
        warp[lane]->registers[d[i]] = loaded[i][lane];
      }
    }
  };
}

/// Reads an operand of wgmma that a descriptor of the 128-byte swizzle names: rows of 16.
static void readDescribed(Block &block, uint64_t descriptor, bool isTransposed, bool isBf16,
                          uint64_t firstRow, uint64_t rows, Tile &tile) {
  uint64_t start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4;
  uint64_t stride = (descriptor >> 32 & 0x3fff) << 4;
  if (descriptor >> 62 != 1) {
    throw Fault{"a descriptor without the swizzle of 128 bytes"};
  }
  for (uint64_t row = firstRow; row < firstRow + rows; ++row) {
    for (uint64_t k = 0; k < 16; ++k) {
      uint64_t address =
          isTransposed ? start + row / 64 * leading + k / 8 * stride + k % 8 * 128 + row % 64 * 2
                       : start + row / 8 * stride + row % 8 * 128 + k * 2;
      address ^= (address >> 7 & 7) << 4;
      uint16_t bits = 0;
      std::memcpy(&bits, block.sharedAt(address, 2, 2), 2);
      tile.at(row - firstRow, k) = halfValue(bits, isBf16);
    }
  }
}

namespace {

/// A wgmma instruction: what it takes and gives.
struct Product {
  size_t columns = 0;
  bool isBf16 = false, inRegisters = false, transposeA = false, transposeB = false;
  std::vector<uint32_t> d;
  std::vector<Source> a; ///< four registers, or a descriptor
  Source b, scale;

  /// The rows of one warp of the warpgroup.
  void run(Warp warp, uint64_t descriptorA, uint64_t descriptorB, bool starts) const;
};

} // namespace

void Product::run(Warp warp, uint64_t descriptorA, uint64_t descriptorB, bool starts) const {
  Thread &leader = *warp[0];
  size_t firstRow = 16 * (leader.id / 32 % 4);
  Tile left(16, 16), right(columns, 16), sum(16, columns);
  if (inRegisters) {
    readA(warp, a, isBf16, left);
  } else {
    readDescribed(*leader.block, descriptorA, transposeA, isBf16, firstRow, 16, left);
  }
  readDescribed(*leader.block, descriptorB, transposeB, isBf16, 0, columns, right);
  for (size_t t = 0; t < warp.size(); ++t) {
    for (size_t i = 0; i < d.size() && !starts; ++i) {
      auto [row, column] = accumulatorPlace(t, i);
      sum.at(row, column) = std::bit_cast<float>(static_cast<uint32_t>(warp[t]->registers[d[i]]));
    }
  }
  multiply(sum, left, right, 16);
  for (size_t t = 0; t < warp.size(); ++t) {
    for (size_t i = 0; i < d.size(); ++i) {
      auto [row, column] = accumulatorPlace(t, i);
      warp[t]->registers[d[i]] = std::bit_cast<uint32_t>(sum.at(row, column));
    }
  }
}

/// wgmma.mma_async.sync.aligned.m64nNk16.f32.T.T {d}, a, b, scale, 1, 1{, transpose a}, transpose b
static void decodeWgmma(const Statement &s, const Symbols &symbols, Instruction &out) {
  Product product;
  product.isBf16 = s.opcode[6] == "bf16";
  product.inRegisters = s.operands[1].kind == Operand::Kind::List;
  const std::string &shape = s.opcode[4];
  product.columns = static_cast<size_t>(std::atoi(shape.c_str() + shape.find('n') + 1));
  if (!shape.starts_with("m64n") || !shape.ends_with("k16") || s.opcode[5] != "f32" ||
      (!product.isBf16 && s.opcode[6] != "f16") ||
      s.operands.size() != (product.inRegisters ? 7 : 8)) {
    throw Fault{"matrix shape"};
  }
  product.d = results(s.operands[0]);
  if (product.d.size() != product.columns / 2) {
    throw Fault{"number of accumulators"};
  }
  product.a = product.inRegisters ? sources(s.operands[1], symbols)
                                  : std::vector{sourceOf(s.operands[1], symbols)};
  product.b = sourceOf(s.operands[2], symbols);
  product.scale = sourceOf(s.operands[3], symbols);
  product.transposeA = !product.inRegisters && s.operands[6].bits != 0;
  product.transposeB = s.operands.back().bits != 0;
  out.width = 128;
  out.runTogether = [product](Warp threads) {
    for (size_t first = 0; first < threads.size(); first += 32) {
      Warp warp = threads.subspan(first, 32);
      Thread &leader = *warp[0];
      uint64_t a = product.inRegisters ? 0 : product.a[0](leader), b = product.b(leader);
      bool starts = product.scale(leader) == 0;
      std::vector<Thread *> members(warp.begin(), warp.end());
      auto work = [=] {
        product.run(members, a, b, starts);
      };
      if (leader.block->isLate) {
        leader.block->products[leader.id / 32].open.push_back(work);
      } else {
        work();
      }
    }
  };
}

/// wgmma.commit_group and wait_group, of a warp; wgmma.fence.
static void decodeProductGroup(const Statement &s, Instruction &out) {
  bool commits = s.opcode[1] == "commit_group", waits = s.opcode[1] == "wait_group";
  uint64_t remaining = waits ? s.operands[0].bits : 0;
  out.runTogether = [=](Warp warp) {
    Pending &pending = warp[0]->block->products[warp[0]->id / 32];
    if (commits) {
      pending.commit();
    } else if (waits) {
      pending.wait(remaining);
    }
  };
}

bool decodeMatrix(const Statement &s, const Symbols &symbols, Instruction &out) {
  const std::string &name = s.opcode[0];
  out.width = 32;
  if (name == "mma") {
    decodeMma(s, symbols, out);
  } else if (name == "ldmatrix") {
    decodeLoadMatrix(s, symbols, out);
  } else if (name == "wgmma" && s.opcode[1] == "mma_async") {
    decodeWgmma(s, symbols, out);
  } else if (name == "wgmma") {
    decodeProductGroup(s, out);
  } else {
    return false;
  }
  out.kind = Instruction::Kind::Together;
  return true;
}

} // namespace zyxc::rt::ptxsim
