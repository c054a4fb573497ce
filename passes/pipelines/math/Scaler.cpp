#include "passes/pipelines/math/Scaler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace zyxc {

std::optional<APFloat> floatConstantOf(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>()) {
    value = broadcast.getSource();
  }
  APFloat scalar(0.0);
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_ConstantFloat(&scalar))) {
    return scalar;
  }
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat()) {
    return elements.getSplatValue<APFloat>();
  }
  return std::nullopt;
}

bool isAddedToOne(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (!isa<arith::AddFOp>(user)) {
      return false;
    }
    Value other = user->getOperand(user->getOperand(0) == op->getResult(0) ? 1 : 0);
    std::optional<APFloat> constant = floatConstantOf(other);
    return constant && constant->convertToDouble() >= 1;
  });
}

Value Scaler::operator()(Value value) {
  Value inside = within(value);
  return inside ? inside
                : arith::MulFOp::create(rewriter, loc, value, constant(value.getType(), factor));
}

Value Scaler::constant(Type type, double value) {
  FloatAttr scalar = rewriter.getF32FloatAttr(static_cast<float>(value));
  TypedAttr attribute = scalar;
  if (auto vector = dyn_cast<VectorType>(type)) {
    attribute = DenseElementsAttr::get(vector, scalar.getValue());
  }
  return arith::ConstantOp::create(rewriter, loc, type, attribute);
}

static constexpr unsigned mostSteps = 8; ///< from a value to its constant

/// True if the value has a constant to scale, and nothing else uses what lies between.
static bool hasConstant(Value value, unsigned steps) {
  if (floatConstantOf(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || steps == 0) {
    return false;
  }
  auto has = [&](unsigned i) {
    return hasConstant(op->getOperand(i), steps - 1);
  };
  if (isa<arith::NegFOp>(op)) {
    return has(0);
  }
  if (isa<arith::MulFOp>(op)) {
    return has(0) || has(1);
  }
  if (isa<arith::AddFOp>(op)) {
    return has(0) && has(1);
  }
  return isa<math::FmaOp>(op) && has(2) && (has(0) || has(1));
}

Value Scaler::within(Value value) {
  return hasConstant(value, mostSteps) ? scaled(value, mostSteps) : Value();
}

Value Scaler::scaled(Value value, unsigned steps) {
  if (std::optional<APFloat> number = floatConstantOf(value)) {
    return constant(value.getType(), number->convertToDouble() * factor);
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) {
    return scaled(op->getOperand(i), steps - 1);
  };
  if (isa<arith::NegFOp>(op)) {
    return arith::NegFOp::create(rewriter, loc, operand(0));
  }
  if (isa<arith::AddFOp>(op)) {
    Value left = operand(0);
    return arith::AddFOp::create(rewriter, loc, left, operand(1));
  }
  unsigned at = hasConstant(op->getOperand(0), steps - 1) ? 0 : 1; // the factor with a constant
  Value factorWith = operand(at);
  Value other = op->getOperand(1 - at);
  if (isa<arith::MulFOp>(op)) {
    return arith::MulFOp::create(rewriter, loc, other, factorWith);
  }
  return math::FmaOp::create(rewriter, loc, other, factorWith, operand(2));
}

} // namespace zyxc
