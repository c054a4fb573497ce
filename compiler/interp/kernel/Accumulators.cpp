#include "compiler/interp/kernel/Accumulators.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace zyxc::kernelinterp {

using zyxk::ReduceKind;

static bool isArg(ReduceKind kind) {
  return kind >= ReduceKind::ArgMax;
}

static bool looksForLargest(ReduceKind kind) {
  return kind == ReduceKind::ArgMax || kind == ReduceKind::UArgMax;
}

Word identityOf(ReduceKind kind, ScalarType type) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Word word;
  if (type.isFloat) {
    switch (kind) {
    case ReduceKind::Mul: word.f = 1; break;
    case ReduceKind::Max:
    case ReduceKind::ArgMax: word.f = -infinity; break;
    case ReduceKind::Min:
    case ReduceKind::ArgMin: word.f = infinity; break;
    default: word.f = 0; break;
    }
    return word;
  }
  int64_t largest = std::numeric_limits<int64_t>::max() >> (64 - type.bits);
  switch (kind) {
  case ReduceKind::Mul: word.i = 1; break;
  case ReduceKind::Max:
  case ReduceKind::ArgMax: word.i = wrapInteger(-largest - 1, type.bits); break;
  case ReduceKind::Min:
  case ReduceKind::ArgMin: word.i = largest; break;
  case ReduceKind::UMin:
  case ReduceKind::UArgMin:
  case ReduceKind::And: word.i = wrapInteger(-1, type.bits); break;
  default: word.i = 0; break;
  }
  return word;
}

void Accumulators::reset(int lanes) {
  std::fill_n(words, lanes, identityOf(kind, type));
  // Every real position wins against this one, so that a row of identities has a position.
  std::fill_n(positions, lanes,
              last ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max());
  std::fill_n(tags, lanes, uint16_t(0));
}

/// The larger (smaller) of two floats; NaN if one is, and +0 is larger than -0.
static double extreme(double a, double b, bool largest) {
  if (std::isnan(a) || std::isnan(b)) {
    return a + b;
  }
  if (a == b) {
    return std::signbit(a) == largest ? b : a;
  }
  return (a > b) == largest ? a : b;
}

static double combineFloats(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Mul: return a * b;
  case ReduceKind::Max: return extreme(a, b, true);
  case ReduceKind::Min: return extreme(a, b, false);
  default: return a + b;
  }
}

static int64_t combineIntegers(ReduceKind kind, int64_t a, int64_t b, unsigned bits) {
  auto wide = [](int64_t value) {
    return static_cast<uint64_t>(value);
  };
  switch (kind) {
  case ReduceKind::Add: return wrapInteger(static_cast<int64_t>(wide(a) + wide(b)), bits);
  case ReduceKind::Mul: return wrapInteger(static_cast<int64_t>(wide(a) * wide(b)), bits);
  case ReduceKind::Max: return std::max(a, b);
  case ReduceKind::Min: return std::min(a, b);
  case ReduceKind::UMax: return unsignedOf(a, bits) > unsignedOf(b, bits) ? a : b;
  case ReduceKind::UMin: return unsignedOf(a, bits) < unsignedOf(b, bits) ? a : b;
  case ReduceKind::And: return a & b;
  default: return a | b;
  }
}

Word combineWords(ReduceKind kind, ScalarType type, Word a, Word b) {
  if (type.isFloat) {
    a.f = combineFloats(kind, a.f, b.f);
  } else {
    a.i = combineIntegers(kind, a.i, b.i, type.bits);
  }
  return a;
}

void Accumulators::addArg(int lane, Word value, int64_t position) {
  Word &best = words[lane];
  bool largest = looksForLargest(kind);
  bool wins;
  bool ties;
  if (type.isFloat) {
    bool nan = std::isnan(value.f);
    bool bestNan = std::isnan(best.f);
    wins = nan ? !bestNan : !bestNan && (largest ? value.f > best.f : value.f < best.f);
    ties = nan ? bestNan : value.f == best.f;
  } else if (kind == ReduceKind::UArgMax || kind == ReduceKind::UArgMin) {
    uint64_t a = unsignedOf(value.i, type.bits);
    uint64_t b = unsignedOf(best.i, type.bits);
    wins = largest ? a > b : a < b;
    ties = a == b;
  } else {
    wins = largest ? value.i > best.i : value.i < best.i;
    ties = value.i == best.i;
  }
  bool preferred = last ? position > positions[lane] : position < positions[lane];
  if (wins || (ties && preferred)) {
    best = value;
    positions[lane] = position;
  }
}

void Accumulators::add(int lane, Word value, int64_t position) {
  if (isArg(kind)) {
    addArg(lane, value, position);
  } else {
    words[lane] = combineWords(kind, type, words[lane], value);
  }
}

void Accumulators::addOne(int lane, const PointBlock &block, int from) {
  add(lane, block.values[from], block.position + from * block.positionStep);
  if (block.tags && block.tags[from]) {
    tags[lane] = block.tags[from];
  }
}

void Accumulators::addLanes(const PointBlock &block) {
  if (kind == ReduceKind::Add && type.isFloat && !block.mask && !block.tags) {
    for (int i = 0; i < block.count; ++i) {
      words[i].f += block.values[i].f;
    }
    return;
  }
  for (int i = 0; i < block.count; ++i) {
    if (!block.mask || block.mask[i]) {
      addOne(i, block, i);
    }
  }
}

void Accumulators::addAcross(const PointBlock &block) {
  if (kind == ReduceKind::Add && type.isFloat && !block.mask && !block.tags) {
    // Four sums: additions do not wait for each other.
    double sums[4] = {0, 0, 0, 0};
    for (int i = 0; i < block.count; ++i) {
      sums[i % 4] += block.values[i].f;
    }
    words[0].f += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return;
  }
  for (int i = 0; i < block.count; ++i) {
    if (!block.mask || block.mask[i]) {
      addOne(0, block, i);
    }
  }
}

Word Accumulators::result(int lane) const {
  if (!isArg(kind)) {
    return words[lane];
  }
  Word word;
  word.i = positions[lane];
  return word;
}

} // namespace zyxc::kernelinterp
