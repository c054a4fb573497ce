#include "compiler/codegen/vulkan/LoopTurns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/lower/tile/GpuFunction.h"

using namespace mlir;

namespace zyxc {

static constexpr int64_t unknown = INT64_MAX;

/// a + b and a * b of numbers that are not negative; `unknown` where they leave 64 bits.
static int64_t sum(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? unknown : result;
}

static int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? unknown : result;
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue())
                                                       : std::nullopt;
}

static Value throughCasts(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp, arith::ExtSIOp>(
      op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

/// The largest value that is known for a number which is not negative.
static int64_t largest(Value value, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  value = throughCasts(value);
  if (std::optional<int64_t> constant = constantOf(value)) {
    return *constant;
  }
  Operation *op = value.getDefiningOp();
  if (depth > deepest || !op) {
    auto loop = dyn_cast_or_null<scf::ForOp>(value.getParentBlock()->getParentOp());
    return loop && loop.getInductionVar() == value && depth <= deepest
               ? largest(loop.getUpperBound(), depth + 1)
               : unknown;
  }
  auto at = [&](unsigned operand) {
    return largest(op->getOperand(operand), depth + 1);
  };
  auto function = op->getParentOfType<gpu::GPUFuncOp>();
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op); id && function.getKnownBlockSizeAttr()) {
    return function.getKnownBlockSizeAttr()[static_cast<unsigned>(id.getDimension())] - 1;
  }
  if (auto id = dyn_cast<gpu::BlockIdOp>(op)) {
    auto grid = function->getAttrOfType<DenseI64ArrayAttr>(gridAttrName);
    return grid ? grid[static_cast<unsigned>(id.getDimension())] - 1 : unknown;
  }
  if (isa<arith::MinSIOp, arith::MinUIOp>(op)) {
    return std::min(at(0), at(1));
  }
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op)) {
    return std::max(at(0), at(1));
  }
  if (isa<arith::SelectOp>(op)) {
    return std::max(at(1), at(2));
  }
  if (isa<arith::AddIOp>(op)) {
    return sum(at(0), at(1));
  }
  if (isa<arith::MulIOp>(op)) {
    return product(at(0), at(1));
  }
  std::optional<int64_t> right =
      op->getNumOperands() == 2 ? constantOf(op->getOperand(1)) : std::nullopt;
  if (!right || *right < 0) {
    return unknown;
  }
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && *right > 0) {
    return at(0) == unknown ? unknown : at(0) / *right;
  }
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op) && *right < 63) {
    return at(0) == unknown ? unknown : at(0) >> *right;
  }
  if (isa<arith::RemUIOp, arith::RemSIOp>(op) && *right > 0) {
    return std::min(at(0), *right - 1);
  }
  return isa<arith::AndIOp>(op) ? std::min(at(0), *right) : unknown;
}

/// The largest value of `upper - lower` that is known: of a part of a row, `min(lower + n, end)`.
static int64_t largestDistance(Value upper, Value lower) {
  upper = throughCasts(upper);
  lower = throughCasts(lower);
  if (std::optional<int64_t> first = constantOf(lower)) {
    int64_t last = largest(upper);
    return last == unknown ? unknown : std::max<int64_t>(last - *first, 0);
  }
  Operation *op = upper.getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MinUIOp>(op)) {
    return std::min(largestDistance(op->getOperand(0), lower),
                    largestDistance(op->getOperand(1), lower));
  }
  if (isa_and_nonnull<arith::AddIOp>(op)) {
    for (unsigned i : {0, 1}) {
      if (throughCasts(op->getOperand(i)) == lower) {
        return largest(op->getOperand(1 - i));
      }
    }
  }
  return largest(upper); // from 0 on
}

static int64_t turnsIn(Region &region);

static int64_t turnsOf(Operation &op) {
  int64_t inside = 0;
  for (Region &region : op.getRegions()) {
    inside = sum(inside, turnsIn(region));
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<int64_t> step = constantOf(loop.getStep());
    int64_t distance = largestDistance(loop.getUpperBound(), loop.getLowerBound());
    if (!step || *step <= 0 || distance == unknown) {
      return unknown;
    }
    return product(distance / *step + (distance % *step != 0), sum(inside, 1));
  }
  // A while loop ends by what it finds, as compare-and-swap does, after a few turns.
  return isa<scf::WhileOp>(op) ? sum(inside, 1) : inside;
}

static int64_t turnsIn(Region &region) {
  int64_t turns = 0;
  for (Operation &op : region.getOps()) {
    turns = sum(turns, turnsOf(op));
  }
  return turns;
}

int64_t mostLoopTurns(gpu::GPUFuncOp function) {
  return turnsIn(function.getBody());
}

} // namespace zyxc
