#include "runtime/routines/Scatter.h"
#include "runtime/core/Tensor.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace zyxc::rt {

/// A DType whose elements have the size of a port's.
static bool isTypeOf(int64_t dtype, const RoutineArgument &port) {
  return dtype >= 0 && dtype < numDTypes &&
         byteSize(static_cast<DType>(dtype)) == byteSize(port.dtype);
}

std::string checkScatter(std::span<const RoutineArgument> ports, std::span<const int64_t> params) {
  bool fits = ports.size() == 4 && ports[3].isOutput &&
              std::none_of(ports.begin(), ports.begin() + 3,
                           [](const RoutineArgument &port) { return port.isOutput; });
  if (!fits) {
    return "scatter takes in ports for x, indices and updates, and an out port";
  }
  const Shape &x = ports[0].shape;
  const Shape &indices = ports[1].shape;
  if (x.size() != 2 || indices.size() != 1 || ports[2].shape != Shape{indices[0], x[1]} ||
      ports[3].shape != x) {
    return fmt::format("scatter takes x [N, I], indices [M], updates [M, I] and gives [N, I], not "
                       "{}, {}, {} and {}",
                       toString(x), toString(indices), toString(ports[2].shape),
                       toString(ports[3].shape));
  }
  if (ports[2].dtype != ports[0].dtype || ports[3].dtype != ports[0].dtype) {
    return "scatter takes x, updates and a result of one type";
  }
  bool known = params.size() == 3 && params[0] >= 0 &&
               params[0] <= static_cast<int64_t>(ScatterKind::Min) &&
               isTypeOf(params[1], ports[0]) && isTypeOf(params[2], ports[1]) &&
               isInteger(static_cast<DType>(params[2]));
  return known ? ""
               : "scatter takes the params (kind 0 to 4, dtype of x, integer dtype of the indices)";
}

namespace {

/// Elements of a type as they are combined: double for floats, 64-bit integers for the rest.
class Cells {
public:
  Cells(DType dtype, int64_t count, void *data)
      : tensor(Tensor::view({dtype, {count}}, data, nullptr)) {}

  void combine(ScatterKind kind, int64_t at, const Cells &from, int64_t update) const {
    if (isFloat(tensor.dtype())) {
      tensor.setDouble(at, joined(kind, tensor.asDouble(at), from.tensor.asDouble(update)));
    } else if (tensor.dtype() == DType::U64) {
      auto value = joined(kind, static_cast<uint64_t>(tensor.asInt(at)),
                          static_cast<uint64_t>(from.tensor.asInt(update)));
      tensor.setInt(at, static_cast<int64_t>(value));
    } else {
      tensor.setInt(at, joined(kind, tensor.asInt(at), from.tensor.asInt(update)));
    }
  }

private:
  static double joined(ScatterKind kind, double a, double b) {
    if (kind == ScatterKind::Add || kind == ScatterKind::Mul) {
      return kind == ScatterKind::Add ? a + b : a * b;
    }
    if (std::isnan(a) || std::isnan(b)) {
      return NAN;
    }
    if (a == b) { // zeros of both signs
      return std::signbit(a) == (kind == ScatterKind::Min) ? a : b;
    }
    return (a > b) == (kind == ScatterKind::Max) ? a : b;
  }

  template <class Int> static Int joined(ScatterKind kind, Int a, Int b) {
    switch (kind) {
    case ScatterKind::Add:
      return static_cast<Int>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case ScatterKind::Mul:
      return static_cast<Int>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case ScatterKind::Max: return std::max(a, b);
    default: return std::min(a, b);
    }
  }

  Tensor tensor;
};

} // namespace

/// The row that an index means; -1 if it is out of range.
static int64_t rowOf(const Tensor &indices, int64_t j, int64_t rows) {
  int64_t index = indices.asInt(j);
  if (index < 0 && indices.dtype() != DType::U64) {
    index += rows;
  }
  return index >= 0 && index < rows ? index : -1;
}

void runScatter(const RoutinePort *ports, const int64_t *params, int64_t lo, int64_t hi) {
  auto kind = static_cast<ScatterKind>(params[0]);
  auto dtype = static_cast<DType>(params[1]);
  int64_t rows = ports[0].sizes[0];
  int64_t length = ports[0].sizes[1];
  int64_t count = ports[1].sizes[0];
  size_t bytes = static_cast<size_t>(length) * byteSize(dtype);
  auto *out = static_cast<std::byte *>(ports[3].data);
  const auto *from = static_cast<const std::byte *>(ports[2].data);
  std::memcpy(out + lo * bytes, static_cast<const std::byte *>(ports[0].data) + lo * bytes,
              static_cast<size_t>(hi - lo) * bytes);
  Tensor indices = Tensor::view({static_cast<DType>(params[2]), {count}}, ports[1].data, nullptr);
  Cells cells(dtype, rows * length, ports[3].data);
  Cells updates(dtype, count * length, ports[2].data);
  for (int64_t j = 0; j < count; ++j) {
    int64_t row = rowOf(indices, j, rows);
    if (row < lo || row >= hi) { // another call's
      continue;
    }
    if (kind == ScatterKind::None) {
      std::memcpy(out + row * bytes, from + j * bytes, bytes);
      continue;
    }
    for (int64_t i = 0; i < length; ++i) {
      cells.combine(kind, row * length + i, updates, j * length + i);
    }
  }
}

} // namespace zyxc::rt
