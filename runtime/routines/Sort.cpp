#include "runtime/routines/Sort.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace zyxc::rt {

//===- What is taken -------------------------------------------------------------------------===//

/// An input and outputs for values, positions or both, with as many leading axes of the same sizes.
static std::string checkPorts(std::span<const RoutineArgument> ports, std::string_view name,
                              bool givesValues, bool givesPositions) {
  size_t outputs = givesValues + givesPositions;
  bool fits = ports.size() == 1 + outputs && !ports[0].isOutput;
  for (size_t i = 1; fits && i <= outputs; ++i) {
    fits = ports[i].isOutput;
  }
  std::string_view what = outputs == 2  ? "values and positions"
                          : givesValues ? "values"
                                        : "positions";
  if (!fits) {
    return fmt::format("{} takes an in port and {} for {}", name,
                       outputs == 2 ? "out ports" : "an out port", what);
  }
  const RoutineArgument &x = ports[0];
  if (x.shape.empty()) {
    return fmt::format("{} needs a port with an axis", name);
  }
  if ((givesValues && ports[1].dtype != x.dtype) ||
      (givesPositions && ports[outputs].dtype != DType::I64)) {
    return fmt::format("{} gives values of type {} and positions of type i64", name,
                       zyxc::name(x.dtype));
  }
  for (size_t i = 1; i <= outputs; ++i) {
    if (ports[i].shape != ports[1].shape || ports[i].shape.size() != x.shape.size() ||
        !std::equal(x.shape.begin(), x.shape.end() - 1, ports[i].shape.begin())) {
      return fmt::format("{} gives {} for each row of {}", name, what, toString(x.shape));
    }
  }
  return "";
}

static std::string checkWholeSort(std::span<const RoutineArgument> ports,
                                  std::span<const int64_t> params, std::string_view name,
                                  bool givesValues, bool givesPositions) {
  if (std::string error = checkPorts(ports, name, givesValues, givesPositions); !error.empty()) {
    return error;
  }
  if (ports[1].shape != ports[0].shape) {
    return fmt::format("{} gives as many elements as it takes, {}", name, toString(ports[0].shape));
  }
  bool known = params.size() <= 2 && (params.empty() || params[0] == 0 || params[0] == 1);
  if (params.size() == 2) {
    known &= params[1] >= 0 && params[1] < numDTypes &&
             byteSize(static_cast<DType>(params[1])) == byteSize(ports[0].dtype);
  }
  return known ? ""
               : fmt::format("{} takes the params (0) for rising, (1) for falling, or none, and a "
                             "dtype of the port's size after it",
                             name);
}

std::string checkSort(std::span<const RoutineArgument> ports, std::span<const int64_t> params) {
  return checkWholeSort(ports, params, "sort", true, true);
}

std::string checkSortValues(std::span<const RoutineArgument> ports,
                            std::span<const int64_t> params) {
  return checkWholeSort(ports, params, "sort_values", true, false);
}

std::string checkArgSort(std::span<const RoutineArgument> ports, std::span<const int64_t> params) {
  return checkWholeSort(ports, params, "argsort", false, true);
}

std::string checkTopK(std::span<const RoutineArgument> ports, std::span<const int64_t> params) {
  if (std::string error = checkPorts(ports, "topk", true, true); !error.empty()) {
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
/// `largest`: the bits of the largest number, which is infinity where the format has one.
template <class Bits> static Bits floatKey(Bits bits, Bits largest) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  Bits magnitude = bits & static_cast<Bits>(~sign);
  if (magnitude > largest) {
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
  const RoutinePort &x;
  std::byte *values;  ///< null: not wanted
  int64_t *positions; ///< null: not wanted
  int64_t kept;       ///< elements of a row that are stored
  bool falling;
  int64_t lo, hi;

  int64_t length() const { return x.sizes[x.rank - 1]; }
};

} // namespace

template <class Bits, class Key> static void sortRows(const RowJob &job, Key keyOf) {
  const auto *from = static_cast<const std::byte *>(job.x.data);
  int64_t length = job.length();
  std::vector<Entry<Bits>> entries(length);
  for (int64_t row = job.lo; row < job.hi; ++row) {
    const std::byte *x = from + row * length * static_cast<int64_t>(sizeof(Bits));
    for (int64_t i = 0; i < length; ++i) {
      Bits bits;
      std::memcpy(&bits, x + i * sizeof(Bits), sizeof(Bits));
      Bits key = keyOf(bits);
      entries[i] = {job.falling ? static_cast<Bits>(~key) : key, i};
    }
    if (job.kept == length) {
      std::sort(entries.begin(), entries.end());
    } else {
      std::partial_sort(entries.begin(), entries.begin() + job.kept, entries.end());
    }
    for (int64_t i = 0; i < job.kept; ++i) {
      int64_t place = row * job.kept + i;
      if (job.positions) {
        job.positions[place] = entries[i].position;
      }
      if (job.values) {
        std::memcpy(job.values + place * sizeof(Bits), x + entries[i].position * sizeof(Bits),
                    sizeof(Bits));
      }
    }
  }
}

template <class Bits> static void sortAs(const RowJob &job, DType dtype) {
  if (isSigned(dtype)) {
    return sortRows<Bits>(job, [](Bits bits) { return integerKey(bits); });
  }
  if (!isFloat(dtype)) {
    return sortRows<Bits>(job, [](Bits bits) { return bits; });
  }
  constexpr Bits magnitude = std::numeric_limits<Bits>::max() >> 1;
  Bits mantissa = static_cast<Bits>((uint64_t(1) << info(dtype).mantissaBits) - 1);
  // One bit pattern of each sign is NaN in the finite format of 8 bits.
  Bits largest =
      dtype == DType::F8E4M3FN ? magnitude - 1 : magnitude & static_cast<Bits>(~mantissa);
  sortRows<Bits>(job, [=](Bits bits) { return floatKey(bits, largest); });
}

static void sortByType(const RowJob &job, int64_t stated) {
  auto dtype = static_cast<DType>(stated != 0 ? stated : job.x.dtype);
  switch (byteSize(dtype)) {
  case 1: return sortAs<uint8_t>(job, dtype);
  case 2: return sortAs<uint16_t>(job, dtype);
  case 4: return sortAs<uint32_t>(job, dtype);
  default: return sortAs<uint64_t>(job, dtype);
  }
}

static std::byte *valuesOf(const RoutinePort &port) {
  return static_cast<std::byte *>(port.data);
}

static int64_t *positionsOf(const RoutinePort &port) {
  return static_cast<int64_t *>(port.data);
}

void runSort(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi) {
  int64_t length = ports[0].sizes[ports[0].rank - 1];
  sortByType({ports[0], valuesOf(ports[1]), positionsOf(ports[2]), length, params[0] != 0, lo, hi},
             params[1]);
}

void runSortValues(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi) {
  int64_t length = ports[0].sizes[ports[0].rank - 1];
  sortByType({ports[0], valuesOf(ports[1]), nullptr, length, params[0] != 0, lo, hi}, params[1]);
}

void runArgSort(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi) {
  int64_t length = ports[0].sizes[ports[0].rank - 1];
  sortByType({ports[0], nullptr, positionsOf(ports[1]), length, params[0] != 0, lo, hi}, params[1]);
}

void runTopK(const RoutinePort *ports, const int64_t *, int64_t lo, int64_t hi) {
  int64_t kept = ports[1].sizes[ports[1].rank - 1];
  sortByType({ports[0], valuesOf(ports[1]), positionsOf(ports[2]), kept, /*falling=*/true, lo, hi},
             0);
}

} // namespace zyxc::rt
