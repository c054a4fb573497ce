#include "tools/zyxc/kernel/PortData.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/lower/HostFunction.h"
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

//===- Uses ----------------------------------------------------------------------------------===//

/// The load whose element a coordinate is, through casts.
static LoadOp loadBehind(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      return load;
    }
    if (!isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(op)) {
      return {};
    }
    value = op->getOperand(0);
  }
  return {};
}

/// The most values from 0 on that SSA coordinate `coord` may have so that all coordinates of the
/// map that use it stay inside of the port.
static int64_t largestExtent(AffineMap map, unsigned dim, ArrayRef<int64_t> shape,
                             SmallVector<int64_t> extents) {
  constexpr int64_t unlimited = int64_t(1) << 20;
  int64_t low = 0;
  int64_t high = unlimited;
  while (low < high) {
    int64_t middle = low + (high - low + 1) / 2;
    extents[dim] = middle;
    bool inside = true;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (expr.isFunctionOfDim(dim)) {
        std::optional<IndexRange> range = rangeOf(expr, extents);
        inside &= range && range->first >= 0 && range->second < shape[i];
      }
    }
    (inside ? low : high) = inside ? middle : middle - 1;
  }
  return low;
}

/// Notes that ports give the coordinates of an access.
static void addCoordinates(KernelOp kernel, AffineMap map, ValueRange coords, PortType port,
                           bool clamp, bool distinct, std::vector<PortUse> &uses) {
  std::optional<SmallVector<int64_t>> shape = port.getStaticShape();
  SmallVector<int64_t> extents = kernel.getStaticExtents().value_or(SmallVector<int64_t>());
  if (!shape || extents.size() != kernel.getNumAxes()) {
    return;
  }
  extents.append(coords.size(), 1);
  for (auto [i, coord] : llvm::enumerate(coords)) {
    LoadOp load = loadBehind(coord);
    if (!load) {
      continue;
    }
    unsigned dim = kernel.getNumAxes() + i;
    PortUse &use = uses[cast<BlockArgument>(load.getPort()).getArgNumber()];
    int64_t extent = largestExtent(map, dim, *shape, extents);
    constexpr int64_t beyond = 3;
    int64_t low = clamp ? -beyond : 0;
    int64_t high = clamp ? extent + beyond : extent - 1;
    use.low = use.isIndex ? std::max(use.low, low) : low;
    use.high = use.isIndex ? std::min(use.high, high) : high;
    use.isIndex = true;
    use.distinct |= distinct;
  }
}

std::vector<PortUse> portUses(KernelOp kernel) {
  std::vector<PortUse> uses(kernel.getNumPorts());
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      addCoordinates(kernel, load.getMap(), load.getCoords(),
                     cast<PortType>(load.getPort().getType()), load.getOob() == Oob::Clamp, false,
                     uses);
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      bool plain = store.getCombine() == Combine::None;
      addCoordinates(kernel, store.getMap(), store.getCoords(),
                     cast<PortType>(store.getPort().getType()), false, plain, uses);
      PortUse &use = uses[cast<BlockArgument>(store.getPort()).getArgNumber()];
      use.isStored = true;
      use.isCombined |= !plain;
    }
  });
  return uses;
}

//===- Values --------------------------------------------------------------------------------===//

static void fillPoison(const Tensor &tensor) {
  int value = isFloat(tensor.dtype()) ? 0xff : 0xa5;
  if (tensor.dtype() == DType::Bool) {
    value = 0;
  }
  std::fill_n(tensor.mutableData(), tensor.byteSize(), static_cast<std::byte>(value));
}

static void fillRandom(const Tensor &tensor, std::mt19937_64 &engine) {
  std::uniform_real_distribution<double> real(-1, 1);
  int64_t limit = tensor.dtype() == DType::Bool ? 1 : 100;
  int64_t low = tensor.dtype() == DType::Bool ? 0 : -limit;
  if (tensor.dtype() == DType::I8) {
    low = INT8_MIN;
    limit = INT8_MAX;
  }
  std::uniform_int_distribution<int64_t> whole(low, limit);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    if (isFloat(tensor.dtype())) {
      tensor.setDouble(i, real(engine));
    } else {
      tensor.setInt(i, whole(engine));
    }
  }
}

/// Makes one element of `each` an infinity or a NaN.
static void addNonFinite(const Tensor &tensor, int each, std::mt19937_64 &engine) {
  if (!isFloat(tensor.dtype()) || tensor.numElements() == 0 || each == 0) {
    return;
  }
  std::uniform_int_distribution<int64_t> place(0, tensor.numElements() - 1);
  constexpr double values[] = {HUGE_VAL, -HUGE_VAL, NAN};
  for (int64_t i = 0; i * each < tensor.numElements(); ++i) {
    tensor.setDouble(place(engine), values[i % 3]);
  }
}

static Status fillIndices(const Tensor &tensor, const PortUse &use, std::mt19937_64 &engine) {
  int64_t count = tensor.numElements();
  int64_t choices = use.high - use.low + 1;
  if (choices < (use.distinct ? count : 1) && count > 0) {
    return makeError(ErrorCode::Input, "needs {}{} coordinates, but only {} are inside of the port",
                     count, use.distinct ? " different" : "", std::max<int64_t>(choices, 0));
  }
  std::vector<int64_t> all(use.distinct ? choices : 0);
  std::iota(all.begin(), all.end(), use.low);
  std::shuffle(all.begin(), all.end(), engine);
  for (int64_t i = 0; i < count; ++i) {
    tensor.setInt(i,
                  use.distinct ? all[i] : std::uniform_int_distribution(use.low, use.high)(engine));
  }
  return Status::ok();
}

Expected<std::vector<Tensor>> makePorts(const std::string &kernelName,
                                        const std::vector<KernelPort> &ports,
                                        const std::vector<PortUse> &uses, uint64_t seed,
                                        int nonFinite) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < ports.size(); ++i) {
    std::mt19937_64 engine(seed * ports.size() + i);
    tensors.push_back(Tensor::allocate(ports[i].type));
    bool hasInput = ports[i].mode == PortMode::In || ports[i].mode == PortMode::InOut;
    if (!hasInput && !(uses[i].isCombined && ports[i].mode == PortMode::Out)) {
      fillPoison(tensors[i]);
    } else if (uses[i].isIndex && !isFloat(ports[i].type.dtype)) {
      Status status = fillIndices(tensors[i], uses[i], engine);
      if (!status.isOk()) {
        return std::move(status).withContext(fmt::format("{} port {}", kernelName, i));
      }
    } else {
      fillRandom(tensors[i], engine);
      addNonFinite(tensors[i], nonFinite, engine);
    }
  }
  return tensors;
}

//===- Memory --------------------------------------------------------------------------------===//

/// Calls fn(row-major index, offset in memory) for each element of a port.
static void forEachElement(PortType type, const Shape &shape,
                           llvm::function_ref<void(int64_t, int64_t)> fn) {
  AffineExpr linear = type.getLinearMap().getResult(0);
  for (int64_t i = 0; i < numElements(shape); ++i) {
    int64_t rest = i;
    SmallVector<AffineExpr> at(shape.size());
    for (size_t axis = shape.size(); axis-- > 0;) {
      at[axis] = getAffineConstantExpr(rest % shape[axis], type.getContext());
      rest /= shape[axis];
    }
    fn(i, cast<AffineConstantExpr>(linear.replaceDims(at)).getValue());
  }
}

std::vector<std::byte> toMemory(PortType type, const Tensor &tensor) {
  size_t size = byteSize(tensor.dtype());
  std::vector<std::byte> bytes(zyxk::portElements(type) * size, std::byte(0xa5));
  if (!type.getLayout()) {
    std::copy_n(tensor.data(), tensor.byteSize(), bytes.data());
    return bytes;
  }
  forEachElement(type, tensor.shape(), [&](int64_t index, int64_t offset) {
    std::memcpy(bytes.data() + offset * size, tensor.data() + index * size, size);
  });
  return bytes;
}

bool sameGaps(PortType type, const std::vector<std::byte> &a, const std::vector<std::byte> &b) {
  if (!type.getLayout()) {
    return true;
  }
  size_t size = std::max<size_t>(type.getElementType().getIntOrFloatBitWidth() / 8, 1);
  std::vector<bool> isElement(a.size());
  std::optional<SmallVector<int64_t>> shape = type.getStaticShape();
  forEachElement(type, Shape(shape->begin(), shape->end()), [&](int64_t, int64_t offset) {
    std::fill_n(isElement.begin() + offset * static_cast<int64_t>(size), size, true);
  });
  for (size_t i = 0; i < a.size(); ++i) {
    if (!isElement[i] && a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

int64_t portElements(PortType type, std::span<const int64_t> dims) {
  SmallVector<AffineExpr> constants;
  for (int64_t value : dims) {
    constants.push_back(getAffineConstantExpr(value, type.getContext()));
  }
  int64_t count = 1;
  for (AffineExpr expr : type.getShape().getResults()) {
    auto extent = dyn_cast<AffineConstantExpr>(expr.replaceSymbols(constants));
    count *= extent ? std::max<int64_t>(extent.getValue(), 0) : 0;
  }
  return count;
}

Tensor fromMemory(PortType type, const std::vector<std::byte> &bytes,
                  const TensorType &tensorType) {
  Tensor tensor = Tensor::allocate(tensorType);
  size_t size = byteSize(tensorType.dtype);
  if (!type.getLayout()) {
    std::copy_n(bytes.data(), tensor.byteSize(), tensor.mutableData());
    return tensor;
  }
  forEachElement(type, tensorType.shape, [&](int64_t index, int64_t offset) {
    std::memcpy(tensor.mutableData() + index * size, bytes.data() + offset * size, size);
  });
  return tensor;
}

} // namespace zyxc::tool
