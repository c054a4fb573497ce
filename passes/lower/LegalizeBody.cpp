#include "passes/lower/LegalizeBody.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "dialects/zyxk/IR/Ranges.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/emit/AccessTable.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/emit/Monoid.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

//===- Domains -------------------------------------------------------------------------------===//

namespace {

struct Constraint {
  AffineExpr expr;
  bool isEquality = false;
  AxisSet axes = 0;
};

} // namespace

/// The largest value of a bound over axes of these bounds, over the dims; null if it is not known.
static AffineExpr largestOf(AffineExpr bound, ArrayRef<AffineExpr> bounds) {
  SmallVector<int64_t> extents;
  SmallVector<int64_t> sizes;
  for (AffineExpr other : bounds) {
    auto number = dyn_cast<AffineConstantExpr>(other);
    extents.push_back(number ? number.getValue() : 0);
    sizes.push_back(zyxk::sizeOf(other));
  }
  if (std::optional<IndexRange> range = zyxk::rangeOf(bound, extents)) {
    return getAffineConstantExpr(range->second, bound.getContext());
  }
  if (bound.isSymbolicOrConstant()) {
    return bound;
  }
  std::optional<SizeRange> range = sizeRangeOf(bound, sizes);
  return range ? exprOf(range->most, bound.getContext()) : AffineExpr();
}

/// The constraints of the domain, and those of bounds that use other axes, which become the largest
/// value of these.
static FailureOr<SmallVector<Constraint>> takeConstraints(KernelOp kernel) {
  SmallVector<Constraint> constraints;
  auto add = [&](AffineExpr expr, bool isEquality) {
    constraints.push_back({expr, isEquality, axesIn(expr, kernel.getNumAxes())});
  };
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> bounds;
  AffineMap map = kernel.getAxisBounds();
  for (auto [axis, bound] : llvm::enumerate(map.getResults())) {
    AffineExpr zero = getAffineConstantExpr(0, context);
    bool isEmpty = llvm::is_contained(bounds, zero);
    bool usesAxes = !bound.isSymbolicOrConstant();
    AffineExpr most = usesAxes && isEmpty ? zero : largestOf(bound, bounds);
    if (!most) {
      return kernel.emitError() << "cannot be lowered: the bound of axis '"
                                << kernel.getAxisName(axis) << "' has no known largest value";
    }
    auto number = dyn_cast<AffineConstantExpr>(most);
    bounds.push_back(number && number.getValue() < 0 ? zero : most);
    if (usesAxes) {
      add(bound - getAffineDimExpr(axis, context) - 1, /*isEquality=*/false);
    }
  }
  if (kernel.getDomain()) {
    IntegerSet domain = *kernel.getDomain();
    for (unsigned i = 0; i < domain.getNumConstraints(); ++i) {
      add(domain.getConstraint(i), domain.isEq(i));
    }
    kernel.removeDomainAttr();
  }
  if (!constraints.empty()) {
    kernel.setAxisBounds(
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), bounds, kernel.getContext()));
  }
  return constraints;
}

/// The constraints that `applies` takes, as a set over the axes; null if there is none.
static IntegerSet setOf(KernelOp kernel, ArrayRef<Constraint> constraints,
                        function_ref<bool(const Constraint &)> applies) {
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> equalities;
  for (const Constraint &constraint : constraints) {
    if (applies(constraint)) {
      exprs.push_back(constraint.expr);
      equalities.push_back(constraint.isEquality);
    }
  }
  return exprs.empty()
             ? IntegerSet()
             : IntegerSet::get(kernel.getNumAxes(), kernel.getNumDims(), exprs, equalities);
}

//===- Ops -----------------------------------------------------------------------------------===//

namespace {

/// Rewrites the body op by op.
class Legalizer {
public:
  Legalizer(KernelOp kernel, ArrayRef<Constraint> constraints)
      : kernel(kernel), constraints(constraints) {}

  void run();

private:
  /// `value` where the constraints of a reduction over `reduced` hold, else `otherwise`.
  Value restrict(OpBuilder &builder, Value value, AxisSet own, AxisSet reduced, Value otherwise);
  AxisSet axesOf(Value value) const;
  Value constant(OpBuilder &builder, Location loc, Type type, double value);
  Value identity(OpBuilder &builder, ReduceOp reduce);
  void rewriteExpsum(ExpsumOp op);
  void rewriteWelford(WelfordOp op);
  void restrictFold(FoldOp op);

  KernelOp kernel;
  ArrayRef<Constraint> constraints;
};

} // namespace

static Value reduceOver(OpBuilder &builder, Location loc, ReduceKind kind, Value value,
                        ArrayRef<int64_t> axes) {
  return ReduceOp::create(builder, loc, value.getType(), kind, value, axes);
}

/// As the ops stand now.
AxisSet Legalizer::axesOf(Value value) const {
  return constraints.empty() ? 0 : AxisSets(kernel)[value];
}

Value Legalizer::constant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attr = isa<FloatType>(type) ? TypedAttr(builder.getFloatAttr(type, value))
                                        : TypedAttr(builder.getIntegerAttr(type, value != 0));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value Legalizer::identity(OpBuilder &builder, ReduceOp reduce) {
  Type type = reduce.getValue().getType();
  return arith::ConstantOp::create(builder, reduce.getLoc(),
                                   identityOf(valueKind(reduce.getKind()), type));
}

Value Legalizer::restrict(OpBuilder &builder, Value value, AxisSet own, AxisSet reduced,
                          Value otherwise) {
  IntegerSet set = setOf(kernel, constraints, [&](const Constraint &constraint) {
    return (constraint.axes & ~own) == 0 && (constraint.axes & reduced) != 0;
  });
  if (!set) {
    return value;
  }
  return WhereOp::create(builder, value.getLoc(), value.getType(), value, otherwise, set);
}

void Legalizer::rewriteExpsum(ExpsumOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  AxisSet reduced = axisSetOf(op.getAxes());
  Value lowest = constant(builder, loc, type, -std::numeric_limits<double>::infinity());
  AxisSet own = axesOf(op.getValue());
  Value value = restrict(builder, op.getValue(), own, reduced, lowest);
  Value maximum = reduceOver(builder, loc, ReduceKind::Max, value, op.getAxes());
  // Of -inf only, the sums are 0.
  Value isLowest = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, maximum, lowest);
  Value zero = constant(builder, loc, type, 0);
  Value base = arith::SelectOp::create(builder, loc, isLowest, zero, maximum);
  Value less = arith::SubFOp::create(builder, loc, value, base);
  Value exponential = math::ExpOp::create(builder, loc, less);
  for (unsigned i = 0; i < op.getNumSums(); ++i) {
    Value term = exponential;
    if (Value weight = op.getWeight(i)) {
      unsigned from = weight.getType().getIntOrFloatBitWidth();
      unsigned to = type.getIntOrFloatBitWidth();
      if (from < to) {
        weight = arith::ExtFOp::create(builder, loc, type, weight);
      } else if (weight.getType() != type) {
        weight = arith::TruncFOp::create(builder, loc, type, weight);
      }
      term = arith::MulFOp::create(builder, loc, exponential, weight);
      term = restrict(builder, term, own | axesOf(op.getWeight(i)), reduced, zero);
    }
    op.getSums()[i].replaceAllUsesWith(
        reduceOver(builder, loc, ReduceKind::Add, term, op.getAxes()));
  }
  op.getMaximum().replaceAllUsesWith(maximum);
  op.erase();
}

void Legalizer::rewriteWelford(WelfordOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  AxisSet reduced = axisSetOf(op.getAxes());
  AxisSet own = axesOf(op.getValue());
  Value zero = constant(builder, loc, type, 0);
  Value one = constant(builder, loc, type, 1);
  Value count;
  Value ones = restrict(builder, one, own, reduced, zero);
  bool isKnown = llvm::all_of(op.getAxes(), [&](int64_t axis) {
    return isa<AffineConstantExpr>(kernel.getAxisBounds().getResult(axis));
  });
  if (ones == one && isKnown) {
    double points = 1;
    for (int64_t axis : op.getAxes()) {
      auto bound = cast<AffineConstantExpr>(kernel.getAxisBounds().getResult(axis));
      points *= static_cast<double>(bound.getValue());
    }
    count = constant(builder, loc, type, std::max(points, 1.0));
  } else {
    count = reduceOver(builder, loc, ReduceKind::Add, ones, op.getAxes());
    count = arith::MaximumFOp::create(builder, loc, count, one);
  }
  Value value = restrict(builder, op.getValue(), own, reduced, zero);
  Value sum = reduceOver(builder, loc, ReduceKind::Add, value, op.getAxes());
  Value mean = arith::DivFOp::create(builder, loc, sum, count);
  Value deviation = arith::SubFOp::create(builder, loc, op.getValue(), mean);
  Value square = arith::MulFOp::create(builder, loc, deviation, deviation);
  square = restrict(builder, square, own, reduced, zero);
  op.getMean().replaceAllUsesWith(mean);
  op.getM2().replaceAllUsesWith(reduceOver(builder, loc, ReduceKind::Add, square, op.getAxes()));
  op.erase();
}

/// Points outside of the constraints are steps that change nothing: the step gets a value more,
/// which says whether the point is inside.
void Legalizer::restrictFold(FoldOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  AxisSet reduced = axisSetOf(op.getAxes());
  AxisSet own = reduced;
  for (Value operand : op.getOperands()) {
    own |= axesOf(operand);
  }
  Value off = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
  Value on = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value inside = restrict(builder, on, own, reduced, off);
  if (inside == on) {
    return;
  }
  SmallVector<Value> values;
  for (Value value : op.getValues()) {
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()));
    values.push_back(restrict(builder, value, own, reduced, zero));
  }
  values.push_back(inside);
  op.getValuesMutable().assign(values);
  Block &step = op.getStep().front();
  Value condition = step.addArgument(builder.getI1Type(), loc);
  Operation *yield = step.getTerminator();
  builder.setInsertionPoint(yield);
  for (auto [i, next] : llvm::enumerate(yield->getOpOperands())) {
    next.set(arith::SelectOp::create(builder, loc, condition, next.get(), step.getArgument(i)));
  }
}

void Legalizer::run() {
  for (Operation &op : llvm::make_early_inc_range(kernel.getBlock())) {
    if (auto expsum = dyn_cast<ExpsumOp>(op)) {
      rewriteExpsum(expsum);
    } else if (auto welford = dyn_cast<WelfordOp>(op)) {
      rewriteWelford(welford);
    } else if (auto reduce = dyn_cast<ReduceOp>(op); reduce && !constraints.empty()) {
      OpBuilder builder(reduce);
      AxisSet own = axesOf(reduce.getValue());
      reduce.getValueMutable().assign(restrict(
          builder, reduce.getValue(), own, axisSetOf(reduce.getAxes()), identity(builder, reduce)));
    } else if (auto fold = dyn_cast<FoldOp>(op); fold && !constraints.empty()) {
      restrictFold(fold);
    } else if (auto contract = dyn_cast<ContractOp>(op); contract && !constraints.empty()) {
      OpBuilder builder(contract);
      Value a = contract.getA();
      AxisSet own = axesOf(a) | axesOf(contract.getB());
      contract.getAMutable().assign(restrict(builder, a, own, axisSetOf(contract.getAxes()),
                                             constant(builder, a.getLoc(), a.getType(), 0)));
    } else if (auto store = dyn_cast<StoreOp>(op); store && !constraints.empty()) {
      AxisSet domain = AxisSets(kernel).domainOf(store);
      IntegerSet set = setOf(kernel, constraints, [&](const Constraint &constraint) {
        return (constraint.axes & ~domain) == 0;
      });
      if (set) {
        store->setAttr(storeGuardAttrName, IntegerSetAttr::get(set));
      }
    }
  }
}

LogicalResult legalizeBody(KernelOp kernel) {
  expandForLowering(kernel);
  FailureOr<SmallVector<Constraint>> constraints = takeConstraints(kernel);
  if (failed(constraints)) {
    return failure();
  }
  Legalizer(kernel, *constraints).run();
  return success();
}

//===- Contractions --------------------------------------------------------------------------===//

/// `value` in the type in which a contraction computes; integers are signed, but i1.
static Value convertTo(OpBuilder &builder, Location loc, Value value, Type to) {
  Type from = value.getType();
  if (from == to) {
    return value;
  }
  bool widens = from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  if (isa<FloatType>(from)) {
    return widens ? Value(arith::ExtFOp::create(builder, loc, to, value))
                  : Value(arith::TruncFOp::create(builder, loc, to, value));
  }
  if (!widens) {
    return arith::TruncIOp::create(builder, loc, to, value);
  }
  return from.isInteger(1) ? Value(arith::ExtUIOp::create(builder, loc, to, value))
                           : Value(arith::ExtSIOp::create(builder, loc, to, value));
}

void contractsToReductions(KernelOp kernel) {
  for (auto contract : llvm::make_early_inc_range(kernel.getBlock().getOps<ContractOp>())) {
    OpBuilder builder(contract);
    Location loc = contract.getLoc();
    Type type = contract.getResult().getType();
    bool isHalf = type.isF16() || type.isBF16();
    Type compute = isHalf ? Type(builder.getF32Type()) : type;
    Value a = convertTo(builder, loc, contract.getA(), compute);
    Value b = convertTo(builder, loc, contract.getB(), compute);
    Value product = isa<FloatType>(compute) ? Value(arith::MulFOp::create(builder, loc, a, b))
                                            : Value(arith::MulIOp::create(builder, loc, a, b));
    Value sum = reduceOver(builder, loc, ReduceKind::Add, product, contract.getAxes());
    contract.getResult().replaceAllUsesWith(convertTo(builder, loc, sum, type));
    contract.erase();
  }
}

/// The axes of a factor that are not summed, each of more than one point.
static AxisSet outerAxes(const AxisSets &sets, ContractOp contract, Value factor) {
  auto kernel = contract->getParentOfType<KernelOp>();
  AxisSet outer = sets[factor] & ~axisSetOf(contract.getAxes());
  for (auto [axis, extent] : llvm::enumerate(*kernel.getBoxExtents())) {
    outer &= extent == 1 ? ~axisBit(axis) : ~AxisSet(0);
  }
  return outer;
}

bool repeatsFunctions(KernelOp kernel) {
  AxisSets sets(kernel);
  return llvm::any_of(kernel.getBlock().getOps<ContractOp>(), [&](ContractOp contract) {
    AxisSet a = outerAxes(sets, contract, contract.getA());
    AxisSet b = outerAxes(sets, contract, contract.getB());
    return ((b & ~a) != 0 && usesFunctions(contract.getA())) ||
           ((a & ~b) != 0 && usesFunctions(contract.getB()));
  });
}

bool isVectorProduct(KernelOp kernel) {
  if (!kernel.getBoxExtents() || kernel.getBlock().getOps<ContractOp>().empty()) {
    return false;
  }
  AxisSets sets(kernel);
  llvm::DenseSet<Value> reduced; // and what depends on it
  for (Operation &op : kernel.getBlock()) {
    bool follows =
        llvm::any_of(op.getOperands(), [&](Value operand) { return reduced.contains(operand); });
    bool reduces = combinedAxes(op) != 0 || isa<ScanOp>(op);
    if (auto contract = dyn_cast<ContractOp>(op)) {
      AxisSet a = outerAxes(sets, contract, contract.getA());
      AxisSet b = outerAxes(sets, contract, contract.getB());
      if ((a & ~b) != 0 && (b & ~a) != 0) {
        return false;
      }
    }
    if (reduces && follows) {
      return false;
    }
    if (reduces || follows) {
      reduced.insert(op.result_begin(), op.result_end());
    }
  }
  return true;
}

//===- Quotients -----------------------------------------------------------------------------===//

static ReduceOp maximumOf(Value value) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == ReduceKind::Max ? reduce : ReduceOp();
}

/// Whether `value` is a sum of e^(x - max x) over the axes of that maximum.
static bool isSoftmaxSum(Value value) {
  if (auto expsum = value.getDefiningOp<ExpsumOp>()) {
    for (unsigned i = 0; i < expsum.getNumSums(); ++i) {
      if (expsum.getSums()[i] == value) {
        return !expsum.getWeight(i);
      }
    }
  }
  auto sum = value.getDefiningOp<ReduceOp>();
  if (!sum || sum.getKind() != ReduceKind::Add) {
    return false;
  }
  auto exponential = sum.getValue().getDefiningOp<math::ExpOp>();
  auto less = exponential ? exponential.getOperand().getDefiningOp<arith::SubFOp>() : nullptr;
  ReduceOp maximum = less ? maximumOf(less.getRhs()) : ReduceOp();
  return maximum && maximum.getValue() == less.getLhs() && maximum.getAxes() == sum.getAxes();
}

void hoistSoftmaxReciprocals(KernelOp kernel) {
  for (auto op : llvm::make_early_inc_range(kernel.getBlock().getOps<arith::DivFOp>())) {
    Type type = op.getType();
    if (!(type.isF32() || type.isF64()) || op.getLhs().getDefiningOp<ReduceOp>() ||
        !isSoftmaxSum(op.getRhs())) {
      continue;
    }
    OpBuilder builder(op);
    Value one = arith::ConstantOp::create(builder, op.getLoc(), builder.getFloatAttr(type, 1.0));
    Value inverse = arith::DivFOp::create(builder, op.getLoc(), one, op.getRhs());
    op.getResult().replaceAllUsesWith(
        arith::MulFOp::create(builder, op.getLoc(), op.getLhs(), inverse));
    op.erase();
  }
}

bool storesNothing(KernelOp kernel) {
  return llvm::all_of(kernel.getBlock().getOps<StoreOp>(), [](StoreOp store) {
    auto type = cast<PortType>(store.getPort().getType());
    return type.getStaticShape() && llvm::is_contained(*type.getStaticShape(), 0);
  });
}

} // namespace zyxc
