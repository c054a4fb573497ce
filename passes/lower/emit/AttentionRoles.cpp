#include "passes/lower/emit/AttentionRoles.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static SmallVector<unsigned> listOf(AxisSet set) {
  SmallVector<unsigned> axes;
  for (; set != 0; set &= set - 1) {
    axes.push_back(llvm::countr_zero(set));
  }
  return axes;
}

static std::optional<unsigned> onlyAxis(AxisSet set) {
  return llvm::popcount(set) == 1 ? std::optional<unsigned>(llvm::countr_zero(set)) : std::nullopt;
}

/// The axis of the largest extent; of equal ones the last.
static std::optional<unsigned> longestAxis(KernelOp kernel, AxisSet set) {
  SmallVector<int64_t> extents = *kernel.getStaticExtents();
  std::optional<unsigned> longest;
  for (unsigned axis : listOf(set)) {
    if (!longest || extents[axis] >= extents[*longest]) {
      longest = axis;
    }
  }
  return longest;
}

/// The dim of a load's port that is indexed by exactly this axis; -1 if there is none, or if the
/// axis occurs in another dim, too.
static int dimOf(LoadOp load, unsigned axis) {
  int found = -1;
  for (auto [dim, expr] : llvm::enumerate(load.getMap().getResults())) {
    if (!expr.isFunctionOfDim(axis)) {
      continue;
    }
    auto plain = dyn_cast<AffineDimExpr>(expr);
    if (!plain || found >= 0) {
      return -1;
    }
    found = static_cast<int>(dim);
  }
  return found;
}

static AttentionOperand operandOf(Value value, std::optional<unsigned> row,
                                  std::optional<unsigned> column) {
  AttentionOperand operand;
  operand.value = value;
  auto load = value.getDefiningOp<LoadOp>();
  if (!load || !load.getCoords().empty() || load.getOob() == Oob::Clamp) {
    return operand;
  }
  operand.load = load;
  operand.port = cast<BlockArgument>(load.getPort()).getArgNumber();
  operand.rowDim = row ? dimOf(load, *row) : -1;
  operand.columnDim = column ? dimOf(load, *column) : -1;
  return operand;
}

/// The constant factor if the logits are the scores times a positive constant.
static std::optional<double> scaleOf(Value logits, Value scores) {
  double scale = 1.0;
  while (logits != scores) {
    auto product = logits.getDefiningOp<arith::MulFOp>();
    auto quotient = logits.getDefiningOp<arith::DivFOp>();
    APFloat factor(0.0);
    if (product && matchPattern(product.getRhs(), m_ConstantFloat(&factor))) {
      scale *= factor.convertToDouble();
      logits = product.getLhs();
    } else if (product && matchPattern(product.getLhs(), m_ConstantFloat(&factor))) {
      scale *= factor.convertToDouble();
      logits = product.getRhs();
    } else if (quotient && matchPattern(quotient.getRhs(), m_ConstantFloat(&factor))) {
      scale /= factor.convertToDouble();
      logits = quotient.getLhs();
    } else {
      return std::nullopt;
    }
  }
  return scale > 0 && std::isfinite(scale) ? std::optional<double>(scale) : std::nullopt;
}

namespace {

/// The ops of attention in a kernel.
struct AttentionOps {
  ContractOp scores;
  ExpsumOp expsum;
};

} // namespace

/// Finds the ops of the kernel; nothing if there are others than those of attention.
static std::optional<AttentionOps> collect(KernelOp kernel, SmallVectorImpl<StoreOp> &stores,
                                           std::string &obstacle) {
  AttentionOps ops;
  for (Operation &op : kernel.getBlock()) {
    if (auto contract = dyn_cast<ContractOp>(op)) {
      if (ops.scores) {
        obstacle = "attention takes one contract, the scores";
        return std::nullopt;
      }
      ops.scores = contract;
    } else if (auto expsum = dyn_cast<ExpsumOp>(op)) {
      if (ops.expsum) {
        obstacle = "attention takes one expsum";
        return std::nullopt;
      }
      ops.expsum = expsum;
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (store.getCombine() != Combine::None) {
        obstacle = "attention takes stores without 'combine'";
        return std::nullopt;
      }
      stores.push_back(store);
    } else if (isa<ReduceOp, WelfordOp, ScanOp, FoldOp>(op)) {
      obstacle = "attention takes no other reduction";
      return std::nullopt;
    }
  }
  if (!ops.scores || !ops.expsum || stores.empty()) {
    obstacle = "attention is a contract, an expsum over its result, and stores";
    return std::nullopt;
  }
  return ops;
}

/// The results of expsum: its maximum, the plain sum, the weighted sum.
static bool bindResults(ExpsumOp op, AttentionRoles &roles, Value &values, std::string &obstacle) {
  roles.logits = op.getValue();
  roles.maximum = op.getMaximum();
  for (unsigned i = 0; i < op.getNumSums(); ++i) {
    Value weight = op.getWeight(i);
    Value &result = weight ? roles.output : roles.sum;
    if (result) {
      obstacle = "attention takes one weight of expsum beside 'unit'";
      return false;
    }
    result = op.getSums()[i];
    values = weight ? weight : values;
  }
  return true;
}

/// Whether the value of a maximum or of a sum is seen, not only quotients of sums.
static bool seesMaximum(const AttentionRoles &roles) {
  if (!roles.maximum.use_empty()) {
    return true;
  }
  auto cancels = [&](Value value, bool divisor) {
    return !value || llvm::all_of(value.getUses(), [&](OpOperand &use) {
      auto quotient = dyn_cast<arith::DivFOp>(use.getOwner());
      return quotient && quotient.getLhs() == roles.output && quotient.getRhs() == roles.sum &&
             use.getOperandNumber() == unsigned(divisor);
    });
  };
  return !cancels(roles.output, false) || !cancels(roles.sum, true);
}

std::optional<AttentionRoles> AttentionRoles::find(KernelOp kernel, std::string &obstacle) {
  AttentionRoles roles;
  Value values;
  if (kernel.getNumDims() != 0 || !kernel.getStaticExtents()) {
    obstacle = "its dims must be bound to sizes first";
    return std::nullopt;
  }
  std::optional<AttentionOps> ops = collect(kernel, roles.stores, obstacle);
  if (!ops || !bindResults(ops->expsum, roles, values, obstacle)) {
    return std::nullopt;
  }
  roles.scores = ops->scores.getResult();
  AxisSets sets(kernel);
  AxisSet inLogits = sets[roles.logits];
  std::optional<unsigned> key = onlyAxis(axisSetOf(ops->expsum.getAxes()));
  std::optional<unsigned> depth = onlyAxis(axisSetOf(ops->scores.getAxes()));
  if (!key || !depth || !contains(inLogits, *key)) {
    obstacle = "attention sums over one axis of keys, and over one axis in the scores";
    return std::nullopt;
  }
  Value a = ops->scores.getA();
  Value b = ops->scores.getB();
  if (contains(sets[a], *key)) {
    std::swap(a, b);
  }
  if (contains(sets[a], *key) || !contains(sets[b], *key)) {
    obstacle = "one operand of the scores, and only one, must run over the keys";
    return std::nullopt;
  }
  roles.key = *key;
  roles.depth = *depth;
  roles.query = longestAxis(kernel, sets[a] & ~sets[b] & inLogits);
  AxisSet others = inLogits & ~axisBit(*key);
  if (roles.query) {
    others &= ~axisBit(*roles.query);
  }
  roles.batch = listOf(others);
  if (values) {
    AxisSet own = sets[values] & ~inLogits;
    roles.width = onlyAxis(own);
    if (!roles.width || !contains(sets[values], *key)) {
      obstacle = "the values must have the axis of the keys and one axis of their own";
      return std::nullopt;
    }
    roles.v = operandOf(values, key, roles.width);
  }
  roles.q = operandOf(a, roles.query, depth);
  roles.k = operandOf(b, key, depth);
  AxisSet stored = others | (roles.query ? axisBit(*roles.query) : 0);
  AxisSet all = stored | (roles.width ? axisBit(*roles.width) : 0);
  for (StoreOp store : roles.stores) {
    AxisSet domain = sets.domainOf(store);
    if ((domain & ~all) != 0 || (stored & ~domain) != 0) {
      obstacle = "stores must run over all axes of the result of expsum";
      return std::nullopt;
    }
  }
  roles.scale = scaleOf(roles.logits, roles.scores);
  roles.needsMaximum = seesMaximum(roles);
  return roles;
}

//===- The domain ----------------------------------------------------------------------------===//

std::optional<KeyWindow> keyWindowOf(KernelOp kernel, const AttentionRoles &roles) {
  KeyWindow window;
  if (!kernel.getDomain()) {
    return window;
  }
  IntegerSet set = *kernel.getDomain();
  if (!roles.query) {
    return std::nullopt;
  }
  MLIRContext *context = kernel.getContext();
  AffineExpr query = getAffineDimExpr(*roles.query, context);
  AffineExpr key = getAffineDimExpr(roles.key, context);
  unsigned numAxes = kernel.getNumAxes();
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    AffineExpr expr = set.getConstraint(i);
    auto rest = [&](AffineExpr without) {
      return dyn_cast<AffineConstantExpr>(simplifyExpr(expr - without, numAxes, 0));
    };
    AffineConstantExpr below = rest(query - key);
    AffineConstantExpr above = rest(key - query);
    if (set.isEq(i) || (!below && !above)) {
      return std::nullopt;
    }
    if (below) { // query - key + c >= 0
      window.last = std::min(window.last.value_or(below.getValue()), below.getValue());
    } else { // key - query + c >= 0
      window.first = std::max(window.first.value_or(-above.getValue()), -above.getValue());
    }
  }
  return window;
}

FailureOr<AccessTable> boxTable(KernelOp kernel) {
  std::optional<IntegerSet> domain = kernel.getDomain();
  kernel.removeDomainAttr();
  FailureOr<AccessTable> table = AccessTable::build(kernel, {.tuples = true});
  if (domain) {
    kernel.setDomain(*domain);
  }
  return table;
}

void hoistReciprocals(KernelOp kernel, const AttentionRoles &roles) {
  if (!roles.width) {
    return;
  }
  AxisSets sets(kernel);
  SmallVector<arith::DivFOp> quotients;
  for (auto op : kernel.getBlock().getOps<arith::DivFOp>()) {
    if (op.getType().isF32() && contains(sets[op.getLhs()], *roles.width) &&
        !contains(sets[op.getRhs()], *roles.width)) {
      quotients.push_back(op);
    }
  }
  for (arith::DivFOp op : quotients) {
    OpBuilder builder(op);
    Value one = arith::ConstantOp::create(builder, op.getLoc(), builder.getF32FloatAttr(1.0F));
    Value inverse = arith::DivFOp::create(builder, op.getLoc(), one, op.getRhs(),
                                          arith::FastMathFlags::arcp | arith::FastMathFlags::afn);
    Value product = arith::MulFOp::create(builder, op.getLoc(), op.getLhs(), inverse);
    op.getResult().replaceAllUsesWith(product);
    op.erase();
  }
}

} // namespace zyxc
