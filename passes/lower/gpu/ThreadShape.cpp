#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/emit/LaneChoice.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static constexpr int64_t accessBytes = 16;
/// Lanes of any thread: more would only cost registers.
static constexpr int64_t maxWidth = 8;
/// SPIR-V has vectors of at most four elements.
static constexpr int64_t maxSpirvWidth = 4;

int64_t powerOfTwo(int64_t value, int64_t most) {
  auto next = static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(value, 1)));
  return std::min(next, most);
}

int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static bool isAccess(Operation &op) {
  return isa<LoadOp, StoreOp>(op);
}

static PortType portOf(Operation &op) {
  Value port = isa<LoadOp>(op) ? cast<LoadOp>(op).getPort() : cast<StoreOp>(op).getPort();
  return cast<PortType>(port.getType());
}

/// The factor of an axis in the address of an access; nothing if it is not linear.
static std::optional<int64_t> strideOf(const AccessTable &table, Operation &op, unsigned axis) {
  const Access &access = table.accessOf(&op);
  auto factors = factorsOf(access.linear, axis, axis);
  return factors && !access.clamped ? std::optional<int64_t>(factors->first) : std::nullopt;
}

/// Lanes that one access covers if the coordinate along the axis is a multiple of `width`.
static int64_t alignedAlong(const AccessTable &table, Operation &op, unsigned axis, int64_t width) {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < table.numAxes(); ++i) {
    AffineExpr dim = getAffineDimExpr(i, op.getContext());
    dims.push_back(i == axis ? dim * width : dim);
  }
  int64_t divisor = table.accessOf(&op).linear.replaceDims(dims).getLargestKnownDivisor();
  return divisor == 0 ? width : std::gcd(width, divisor);
}

int64_t laneWidth(const AccessTable &table, unsigned axis, const Target &target, int64_t wanted,
                  bool ragged) {
  unsigned narrowest = 0;
  for (Operation &op : table.kernel().getBlock()) {
    if (isAccess(op) && strideOf(table, op, axis) == 1) {
      unsigned bits = std::max(portOf(op).getElementType().getIntOrFloatBitWidth(), 8U);
      narrowest = narrowest ? std::min(narrowest, bits) : bits;
    }
  }
  if (narrowest == 0) {
    return 1;
  }
  int64_t most = target.kind == TargetKind::Spirv ? maxSpirvWidth : maxWidth;
  int64_t width = wanted ? wanted : accessBytes * 8 / narrowest;
  width = llvm::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(width, 1, most)));
  while (width > 1 && !ragged && table.extent(axis) % width != 0) {
    width /= 2;
  }
  int64_t best = 1;
  for (Operation &op : table.kernel().getBlock()) {
    if (isAccess(op) && strideOf(table, op, axis) == 1) {
      best = std::max(best, alignedAlong(table, op, axis, width));
    }
  }
  return best;
}

std::pair<std::optional<unsigned>, int64_t>
chooseLanes(const AccessTable &table, AxisSet candidates, const Target &target, int64_t wanted) {
  std::optional<unsigned> lane =
      cheapestLane(table, candidates, lanesFor(table, target.vectorBits));
  return {lane, lane ? laneWidth(table, *lane, target, wanted) : 1};
}

bool runsOverTeam(Operation &op) {
  auto fold = dyn_cast<FoldOp>(op);
  return isa<ReduceOp>(op) || (fold && fold.getOrder() == ReduceOrder::Free);
}

int64_t loadsAlong(const AccessTable &table, unsigned axis) {
  int64_t loads = 0;
  for (auto load : table.kernel().getBlock().getOps<LoadOp>()) {
    loads += contains(table.accessOf(load).axes, axis) ? 1 : 0;
  }
  return loads;
}

} // namespace zyxc
