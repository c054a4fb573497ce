#include "passes/lower/matrix/MatrixProblem.h"
#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static bool isHalf(Type type) {
  return type.isF16() || type.isBF16();
}

/// A factor without a conversion to f32: products of halves are exact in f32.
static Value narrowed(Value value) {
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  return extend && value.getType().isF32() ? extend.getIn() : value;
}

/// Sorts axes so that those along which an access makes large steps come first.
static void sortByStride(const AccessTable &table, Operation *access,
                         SmallVectorImpl<unsigned> &axes) {
  auto key = [&](unsigned axis) {
    return std::pair(-std::abs(strideOf(table, access, axis).value_or(0)), axis);
  };
  llvm::sort(axes, [&](unsigned x, unsigned y) { return key(x) < key(y); });
}

/// The value of an address at the origin of all axes, if it is a constant.
static std::optional<int64_t> constantTerm(AffineExpr expr, unsigned numAxes) {
  SmallVector<AffineExpr> zeros(numAxes, getAffineConstantExpr(0, expr.getContext()));
  auto constant = dyn_cast<AffineConstantExpr>(simplifyExpr(expr.replaceDims(zeros), numAxes, 0));
  return constant ? std::optional<int64_t>(constant.getValue()) : std::nullopt;
}

/// The source of a factor that is a plain load.
static std::optional<MatrixSource> sourceOf(const AccessTable &table, const MatrixOperand &operand,
                                            ArrayRef<unsigned> k) {
  auto load = operand.value.getDefiningOp<LoadOp>();
  if (!load || !load.getCoords().empty() || !table.isSafe(load.getResult()) ||
      table.accessOf(load).clamped ||
      cast<PortType>(load.getPort().getType()).getMode() != PortMode::In) {
    return std::nullopt;
  }
  std::optional<int64_t> rows = flatStrideOf(table, load, operand.rows);
  std::optional<int64_t> depth = flatStrideOf(table, load, k);
  if (!rows || !depth || *rows < 0 || *depth < 0 ||
      constantTerm(table.accessOf(load).linear, table.numAxes()) != 0) {
    return std::nullopt;
  }
  MatrixSource source;
  source.port = cast<BlockArgument>(load.getPort()).getArgNumber();
  source.rowStride = *rows;
  source.kStride = *depth;
  source.kMajor = source.kStride == 1 || (k.empty() && source.rowStride != 1);
  if (!source.kMajor && source.rowStride != 1) {
    return std::nullopt;
  }
  for (unsigned axis : operand.batch) {
    std::optional<int64_t> stride = strideOf(table, load, axis);
    if (!stride || *stride < 0) {
      return std::nullopt;
    }
    source.batchStrides.push_back(*stride);
  }
  return source;
}

/// Row axes over which a load is not linear as one index become batch axes.
static void splitRows(const AccessTable &table, LoadOp load, MatrixOperand &operand,
                      MatrixProblem &problem) {
  ArrayRef<unsigned> rows = operand.rows;
  size_t outer = 0;
  while (outer + 1 < rows.size() && !flatStrideOf(table, load, rows.drop_front(outer))) {
    ++outer;
  }
  operand.batch.append(rows.begin(), rows.begin() + outer);
  problem.batch.append(rows.begin(), rows.begin() + outer);
  operand.rows.erase(operand.rows.begin(), operand.rows.begin() + outer);
}

/// Orders the axes of each role by the addresses of the factors' loads.
static void orderAxes(const AccessTable &table, MatrixProblem &problem) {
  bool ordersK = false;
  for (MatrixOperand *operand : {&problem.a, &problem.b}) {
    if (auto load = operand->value.getDefiningOp<LoadOp>()) {
      sortByStride(table, load, operand->rows);
      splitRows(table, load, *operand, problem);
      if (!ordersK) {
        sortByStride(table, load, problem.k);
      }
      ordersK = true;
    }
  }
}

static bool isContiguousAlong(const AccessTable &table, StoreOp store, ArrayRef<unsigned> axes) {
  return llvm::any_of(axes, [&](unsigned axis) { return strideOf(table, store, axis) == 1; });
}

std::optional<MatrixProblem> MatrixProblem::find(const AccessTable &table) {
  ContractAxes axes = ContractAxes::find(table);
  if (!axes.op) {
    return std::nullopt;
  }
  MatrixProblem problem;
  problem.op = axes.op;
  problem.a.value = narrowed(problem.op.getA());
  problem.b.value = narrowed(problem.op.getB());
  problem.element = problem.a.value.getType();
  Type sum = problem.op.getResult().getType();
  if (!isHalf(problem.element) || problem.b.value.getType() != problem.element ||
      !(isHalf(sum) || sum.isF32())) {
    return std::nullopt;
  }
  problem.stores = axes.stores;
  problem.batch = axes.batch;
  problem.k = axes.k;
  problem.a.rows = axes.m;
  problem.b.rows = axes.n;
  for (unsigned axis : problem.batch) {
    if (contains(axes.inA, axis)) {
      problem.a.batch.push_back(axis);
    }
    if (contains(axes.inB, axis)) {
      problem.b.batch.push_back(axis);
    }
  }
  StoreOp store = problem.stores.front();
  if (isContiguousAlong(table, store, problem.a.rows) &&
      !isContiguousAlong(table, store, problem.b.rows)) {
    std::swap(problem.a, problem.b);
  }
  orderAxes(table, problem);
  problem.a.source = sourceOf(table, problem.a, problem.k);
  problem.b.source = sourceOf(table, problem.b, problem.k);
  problem.batches = productOf(table, problem.batch);
  problem.m = productOf(table, problem.a.rows);
  problem.n = productOf(table, problem.b.rows);
  problem.depth = productOf(table, problem.k);
  bool isEmpty = problem.batches * problem.m * problem.n * problem.depth == 0;
  return isEmpty ? std::nullopt : std::optional(problem);
}

} // namespace zyxc
