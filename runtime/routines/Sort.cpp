#include "runtime/routines/Sort.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace zyxc::rt {

//===- What is taken -------------------------------------------------------------------------===//

/// An input and two outputs, with as many leading axes of the same sizes.
static std::string checkPorts(std::span<const RoutineArgument> ports, std::string_view name) {
  if (ports.size() != 3 || ports[0].isOutput || !ports[1].isOutput || !ports[2].isOutput) {
    return fmt::format("{} takes an in port and out ports for values and positions", name);
  }
  const RoutineArgument &x = ports[0];
  if (x.shape.empty()) {
    return fmt::format("{} needs a port with an axis", name);
  }
  if (ports[1].dtype != x.dtype || ports[2].dtype != DType::I64) {
    return fmt::format("{} gives values of type {} and positions of type i64", name,
                       zyxc::name(x.dtype));
  }
  if (ports[1].shape != ports[2].shape || ports[1].shape.size() != x.shape.size() ||
      !std::equal(x.shape.begin(), x.shape.end() - 1, ports[1].shape.begin())) {
    return fmt::format("{} gives values and positions for each row of {}", name, toString(x.shape));
  }
  return "";
}

std::string checkSort(std::span<const RoutineArgument> ports, std::span<const int64_t> params) {
  if (std::string error = checkPorts(ports, "sort"); !error.empty()) {
    return error;
  }
  if (ports[1].shape != ports[0].shape) {
    return fmt::format("sort gives as many values as it takes, {}", toString(ports[0].shape));
  }
  bool known = params.empty() || (params.size() == 1 && (params[0] == 0 || params[0] == 1));
  return known ? "" : "sort takes the params (0) for rising, (1) for falling, or none";
}

std::string checkTopK(std::span<const RoutineArgument> ports, std::span<const int64_t> params) {
  if (std::string error = checkPorts(ports, "topk"); !error.empty()) {
    return error;
  }
  if (ports[1].shape.back() > ports[0].shape.back()) {
    return fmt::format("topk cannot give {} of {} elements", ports[1].shape.back(),
                       ports[0].shape.back());
  }
  return params.empty() ? "" : "topk takes no params";
}

//===- Keys ----------------------------------------------------------------------------------===//

/// Unsigned numbers that order as the elements do, from their bits.
template <class Bits> static Bits integerKey(Bits bits) {
  return bits ^ (Bits(1) << (8 * sizeof(Bits) - 1));
}
/// `infinity`: the bits of the exponent.
template <class Bits> static Bits floatKey(Bits bits, Bits infinity) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  Bits magnitude = bits & static_cast<Bits>(~sign);
  if (magnitude > infinity) {
    return std::numeric_limits<Bits>::max(); // NaN
  }
  if (magnitude == 0) {
    return sign;
  }
  return bits & sign ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

namespace {

template <class Bits> struct Entry {
  Bits key;
  int64_t position;
  bool operator<(const Entry &other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};

/// What rows are sorted for.
struct RowJob {
  const RoutinePort *ports;
  int64_t length; ///< of a row
  int64_t kept;   ///< elements that are stored
  bool falling;
  int64_t lo, hi;
};

} // namespace

template <class Bits, class Key> static void sortRows(const RowJob &job, Key keyOf) {
  const auto *from = static_cast<const std::byte *>(job.ports[0].data);
  auto *values = static_cast<std::byte *>(job.ports[1].data);
  auto *positions = static_cast<int64_t *>(job.ports[2].data);
  std::vector<Entry<Bits>> entries(job.length);
  for (int64_t row = job.lo; row < job.hi; ++row) {
    const std::byte *x = from + row * job.length * static_cast<int64_t>(sizeof(Bits));
    for (int64_t i = 0; i < job.length; ++i) {
      Bits bits;
      std::memcpy(&bits, x + i * sizeof(Bits), sizeof(Bits));
      Bits key = keyOf(bits);
      entries[i] = {job.falling ? static_cast<Bits>(~key) : key, i};
    }
    if (job.kept == job.length) {
      std::sort(entries.begin(), entries.end());
    } else {
      std::partial_sort(entries.begin(), entries.begin() + job.kept, entries.end());
    }
    for (int64_t i = 0; i < job.kept; ++i) {
      int64_t place = row * job.kept + i;
      positions[place] = entries[i].position;
      std::memcpy(values + place * sizeof(Bits), x + entries[i].position * sizeof(Bits),
                  sizeof(Bits));
    }
  }
}

template <class Bits> static void sortIntegers(const RowJob &job) {
  sortRows<Bits>(job, [](Bits bits) { return integerKey(bits); });
}

template <class Bits> static void sortFloats(const RowJob &job, int mantissaBits) {
  constexpr Bits magnitude = std::numeric_limits<Bits>::max() >> 1;
  auto infinity = static_cast<Bits>(magnitude & ~((Bits(1) << mantissaBits) - 1));
  sortRows<Bits>(job, [=](Bits bits) { return floatKey(bits, infinity); });
}

static void sortByType(const RowJob &job) {
  auto dtype = static_cast<DType>(job.ports[0].dtype);
  bool real = isFloat(dtype);
  switch (byteSize(dtype)) {
  case 1: return sortIntegers<uint8_t>(job);
  case 2:
    return real ? sortFloats<uint16_t>(job, info(dtype).mantissaBits) : sortIntegers<uint16_t>(job);
  case 4:
    return real ? sortFloats<uint32_t>(job, info(dtype).mantissaBits) : sortIntegers<uint32_t>(job);
  default:
    return real ? sortFloats<uint64_t>(job, info(dtype).mantissaBits) : sortIntegers<uint64_t>(job);
  }
}

void runSort(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi) {
  int64_t length = ports[0].sizes[ports[0].rank - 1];
  sortByType({ports, length, length, params[0] != 0, lo, hi});
}

void runTopK(const RoutinePort *ports, const int64_t *, int64_t lo, int64_t hi) {
  sortByType({ports, ports[0].sizes[ports[0].rank - 1], ports[1].sizes[ports[1].rank - 1],
              /*falling=*/true, lo, hi});
}

} // namespace zyxc::rt
