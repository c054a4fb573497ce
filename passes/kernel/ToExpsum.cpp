#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_TOEXPSUMPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

namespace {

/// A sum that the expsum gives: its op, the weight (none: 1), and what the result is divided by.
struct WeightedSum {
  Operation *op;
  Value weight;
  Value divisor;
  bool isGuarded = false; ///< of e^(t - m) with 0 for an m of -inf
};

/// The ops around one maximum that together are an expsum.
class ExpsumPattern {
public:
  explicit ExpsumPattern(ReduceOp maximum, bool exact) : maximum(maximum), exact(exact) {}
  bool match();
  void apply();

private:
  void findSumsLess(Value base, bool guarded);
  void findSums(Value weights, Value divisor);
  void addSum(Operation *op, Value weight, Value divisor);
  bool sameAxes(ArrayRef<int64_t> axes) { return axes == maximum.getAxes(); }

  ReduceOp maximum;
  bool exact;
  bool guarded = false; ///< what findSums works on
  SmallVector<WeightedSum> sums;
};

} // namespace

/// A weight may not need what is being replaced.
void ExpsumPattern::addSum(Operation *op, Value weight, Value divisor) {
  bool wide = op->getResult(0).getType() == maximum.getType();
  bool isFree = !weight || !dependsOn(weight, maximum.getResult());
  bool known = llvm::any_of(sums, [&](const WeightedSum &sum) { return sum.op == op; });
  if (wide && isFree && !known) {
    sums.push_back({op, weight, divisor, guarded});
  }
}

/// The sums over `weights`, which are e^(t - m), perhaps divided by `divisor` or rounded.
void ExpsumPattern::findSums(Value weights, Value divisor) {
  for (Operation *user : weights.getUsers()) {
    if (auto reduce = dyn_cast<ReduceOp>(user)) {
      if (reduce.getKind() == ReduceKind::Add && reduce.getOrder() != ReduceOrder::Serial &&
          sameAxes(reduce.getAxes())) {
        addSum(reduce, Value(), divisor);
      }
    } else if (auto contract = dyn_cast<ContractOp>(user)) {
      Value other = contract.getA() == weights ? contract.getB() : contract.getA();
      if (sameAxes(contract.getAxes()) && other != weights) {
        addSum(contract, other, divisor);
      }
    } else if (auto product = dyn_cast<arith::MulFOp>(user)) {
      Value other = product.getLhs() == weights ? product.getRhs() : product.getLhs();
      for (Operation *next : product->getUsers()) {
        auto sum = dyn_cast<ReduceOp>(next);
        if (sum && sum.getKind() == ReduceKind::Add && sameAxes(sum.getAxes()) &&
            other != weights) {
          addSum(sum, other, divisor);
        }
      }
    } else if (isa<arith::TruncFOp>(user)) {
      findSums(user->getResult(0), divisor);
    }
  }
}

/// The sums of exponentials less `base`.
void ExpsumPattern::findSumsLess(Value base, bool isGuarded) {
  guarded = isGuarded;
  for (Operation *user : base.getUsers()) {
    auto difference = dyn_cast<arith::SubFOp>(user);
    if (!difference || difference.getLhs() != maximum.getValue()) {
      continue;
    }
    for (Operation *next : difference->getUsers()) {
      if (isa<math::ExpOp>(next)) {
        findSums(next->getResult(0), Value());
      }
    }
  }
}

/// True for `maximum`, or 0 where it is -inf.
static bool isGuardedMaximum(Operation *op, Value maximum) {
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
         compare.getLhs() == maximum && matchPattern(compare.getRhs(), m_NegInfFloat()) &&
         matchPattern(select.getTrueValue(), m_AnyZeroFloat()) && select.getFalseValue() == maximum;
}

bool ExpsumPattern::match() {
  Type type = maximum.getType();
  if (maximum.getKind() != ReduceKind::Max || maximum.getOrder() == ReduceOrder::Serial ||
      !(type.isF32() || type.isF64())) {
    return false;
  }
  findSumsLess(maximum.getResult(), /*isGuarded=*/false);
  for (Operation *user : maximum->getUsers()) {
    if (isGuardedMaximum(user, maximum.getResult())) {
      findSumsLess(user->getResult(0), /*isGuarded=*/true);
    }
  }
  auto isUnit = [](const WeightedSum &sum) {
    return !sum.weight;
  };
  // Weights that are divided by their own sum first: the quotient of the sums.
  for (const WeightedSum &unit : SmallVector<WeightedSum>(llvm::make_filter_range(sums, isUnit))) {
    for (Operation *user : unit.op->getUsers()) {
      auto quotient = dyn_cast<arith::DivFOp>(user);
      if (quotient && quotient.getRhs() == unit.op->getResult(0) &&
          isa_and_nonnull<math::ExpOp>(quotient.getLhs().getDefiningOp()) &&
          dependsOn(quotient.getLhs(), maximum.getResult())) {
        guarded = unit.isGuarded;
        findSums(quotient.getResult(), unit.op->getResult(0));
      }
    }
  }
  llvm::sort(sums, [](const WeightedSum &a, const WeightedSum &b) {
    return std::pair(bool(a.weight), !a.op->isBeforeInBlock(b.op)) <
           std::pair(bool(b.weight), !b.op->isBeforeInBlock(a.op));
  });
  return !sums.empty();
}

void ExpsumPattern::apply() {
  OpBuilder builder(maximum);
  Type type = maximum.getType();
  SmallVector<Value> weights;
  SmallVector<bool> units;
  for (const WeightedSum &sum : sums) {
    units.push_back(!sum.weight);
    if (sum.weight) {
      weights.push_back(sum.weight);
    }
  }
  auto expsum =
      ExpsumOp::create(builder, maximum.getLoc(), type, SmallVector<Type>(sums.size(), type),
                       maximum.getValue(), weights, maximum.getAxes(), units);
  SmallVector<Value> values(expsum.getSums());
  auto floatType = cast<FloatType>(type);
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  for (auto [sum, value] : llvm::zip(sums, values)) {
    if (exact && !sum.isGuarded) {
      Location loc = maximum.getLoc();
      auto constant = [&](const APFloat &number) -> Value {
        return arith::ConstantOp::create(builder, loc, FloatAttr::get(type, number));
      };
      Value isLowest =
          arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, expsum.getMaximum(),
                                constant(APFloat::getInf(semantics, true)));
      value = arith::SelectOp::create(builder, loc, isLowest, constant(APFloat::getNaN(semantics)),
                                      value);
    }
  }
  for (auto [sum, value] : llvm::zip(sums, values)) {
    if (sum.divisor) {
      builder.setInsertionPoint(sum.op);
      value = arith::DivFOp::create(builder, sum.op->getLoc(), value, sum.divisor);
    }
  }
  for (auto [sum, value] : llvm::zip(sums, values)) {
    sum.op->getResult(0).replaceAllUsesWith(value);
  }
  maximum.getResult().replaceAllUsesWith(expsum.getMaximum());
}

static bool rewriteMaxima(KernelOp kernel, bool exact) {
  bool changed = false;
  for (auto maximum : llvm::make_early_inc_range(kernel.getBlock().getOps<ReduceOp>())) {
    ExpsumPattern pattern(maximum, exact);
    if (pattern.match()) {
      pattern.apply();
      changed = true;
    }
  }
  if (changed) {
    sortBody(kernel);
    dropUnusedOps(kernel);
  }
  return changed;
}

bool toExpsum(KernelOp kernel) {
  return rewriteMaxima(kernel, /*exact=*/false);
}

bool toExpsumExactly(KernelOp kernel) {
  return rewriteMaxima(kernel, /*exact=*/true);
}

namespace {

struct ToExpsumPass : impl::ToExpsumPassBase<ToExpsumPass> {
  void runOnOperation() override { toExpsum(getOperation()); }
};

} // namespace

} // namespace zyxc
