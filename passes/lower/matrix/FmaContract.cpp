#include "passes/lower/matrix/FmaContract.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/VectorExpr.h"
#include "passes/lower/matrix/TileCoordinates.h"
#include "passes/lower/tile/GpuLaunch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Steps of k in workgroup memory.
static constexpr int64_t tileK = 16;
/// Results of a thread along m and n.
static constexpr int64_t threadM = 4;
static constexpr int64_t threadN = 4;
/// Elements behind each row of a tile, so that rows start in different banks.
static constexpr int64_t padding = 4;

namespace {

/// One factor: rows (m or n) by k.
struct Factor {
  Value value;
  ArrayRef<unsigned> rows;
  int64_t numRows;
  int64_t tileRows;
  bool alongK; ///< neighbouring threads load neighbours along k
  Value stage; ///< memref<tileK * (tileRows + padding) x compute type>

  int64_t pitch() const { return tileRows + padding; }
};

/// Emits one launch. All index arithmetic is in i32.
class FmaKernel {
public:
  FmaKernel(const AccessTable &table, const ContractAxes &axes, const Target &target,
            std::array<int64_t, 2> tile);
  void emit();

private:
  using Values = SmallVector<Value>;

  void chooseTile(const Target &target);
  Value allocate(int64_t elements);
  Factor factorOf(Value value, ArrayRef<unsigned> rows, int64_t tileRows);
  void findTile(OpBuilder &builder);
  /// This thread's elements of a factor's tile from row `first` and step `firstK` on.
  Values loadFactor(OpBuilder &builder, const Factor &factor, Value first, Value firstK);
  void stageFactor(OpBuilder &builder, const Factor &factor, ArrayRef<Value> elements);
  /// Row and step of this thread's element i of a factor's tile.
  std::pair<Value, Value> placeOf(I32Math &math, const Factor &factor, int64_t i);
  Value toCompute(OpBuilder &builder, Value value);
  Values multiply(OpBuilder &builder, ArrayRef<Value> sums);
  Values sum(OpBuilder &builder);
  void store(OpBuilder &builder, ArrayRef<Value> sums);
  void storeElement(OpBuilder &builder, Value atRow, Value atColumn, Value at);

  const AccessTable &table;
  const ContractAxes &axes;
  Location loc;
  int64_t m, n, depth, batches;
  int64_t tileM = 64, tileN = 64;
  int64_t threads, tilesM, tilesN, tiles;
  Type compute; ///< in which products are summed
  std::optional<GpuModule> module;
  std::optional<GpuLaunch> launch;
  std::optional<VectorExpr> expr;
  Factor a, b;
  Value results;                         ///< memref<tileM * (tileN + padding) x compute type>
  Value thread, threadRow, threadColumn; ///< the latter two: of its block in the tile
  Value row, column;                     ///< first ones of the tile
};

} // namespace

//===- Set-up --------------------------------------------------------------------------------===//

FmaKernel::FmaKernel(const AccessTable &table, const ContractAxes &axes, const Target &target,
                     std::array<int64_t, 2> tile)
    : table(table), axes(axes), loc(axes.op->getLoc()), m(productOf(table, axes.m)),
      n(productOf(table, axes.n)), depth(productOf(table, axes.k)),
      batches(productOf(table, axes.batch)) {
  Type result = axes.op->getResult(0).getType();
  bool isNarrow = result.isF16() || result.isBF16();
  compute = isNarrow ? Float32Type::get(result.getContext()) : result;
  chooseTile(target);
  tileM = tile[0] ? tile[0] : tileM;
  tileN = tile[1] ? tile[1] : tileN;
  threads = tileM / threadM * (tileN / threadN);
  tilesM = llvm::divideCeil(m, tileM);
  tilesN = llvm::divideCeil(n, tileN);
  tiles = batches * tilesM * tilesN;
  module.emplace(table.kernel(), target);
  launch.emplace(module->addLaunch(std::max<int64_t>(tiles, 1), threads));
}

/// Small problems get small tiles, so that they spread over the machine.
void FmaKernel::chooseTile(const Target &target) {
  if (compute.getIntOrFloatBitWidth() > 32) {
    tileM = 32; // workgroup memory is small
  }
  while (tileM * tileN > 16 * 16 && (tileM * tileN / (threadM * threadN) > target.maxThreads ||
                                     tileM >= 2 * m || tileN >= 2 * n)) {
    int64_t &side = tileM > tileN || tileN < 2 * n ? tileM : tileN;
    if (side == 16) {
      break;
    }
    side /= 2;
  }
}

/// The load with the most elements below a value.
static Operation *mainLoad(const AccessTable &table, Value value) {
  Operation *best = nullptr;
  SmallVector<Value> work = {value};
  DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second) {
      continue;
    }
    llvm::append_range(work, op->getOperands());
    if (isa<LoadOp>(op) && (!best || table.points(table.accessOf(op).axes) >
                                         table.points(table.accessOf(best).axes))) {
      best = op;
    }
  }
  return best;
}

Factor FmaKernel::factorOf(Value value, ArrayRef<unsigned> rows, int64_t tileRows) {
  Factor factor{value, rows, productOf(table, rows), tileRows, false, Value()};
  Operation *load = mainLoad(table, value);
  factor.alongK = load && !axes.k.empty() && strideOf(table, load, axes.k.back()) == 1 &&
                  (rows.empty() || strideOf(table, load, rows.back()) != 1);
  factor.stage = allocate(tileK * factor.pitch());
  return factor;
}

/// Workgroup memory of the compute type.
Value FmaKernel::allocate(int64_t elements) {
  OpBuilder start = launch->atStart();
  auto type = MemRefType::get({elements}, compute, MemRefLayoutAttrInterface(),
                              workgroupSpace(compute.getContext()));
  return memref::AllocOp::create(start, loc, type);
}

void FmaKernel::emit() {
  if (tiles == 0) {
    return; // nothing is stored
  }
  a = factorOf(axes.op->getOperand(0), axes.m, tileM);
  b = factorOf(axes.op->getOperand(1), axes.n, tileN);
  results = allocate(tileM * (tileN + padding));
  OpBuilder builder = launch->atEnd();
  expr.emplace(table, launch->ports, 1, LaneStyle::Thread);
  findTile(builder);
  store(builder, sum(builder));
}

void FmaKernel::findTile(OpBuilder &builder) {
  I32Math math(builder, loc);
  Value id = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  thread = math.fromIndex(id);
  threadRow = math.mul(math.div(thread, tileN / threadN), threadM);
  threadColumn = math.mul(math.rem(thread, tileN / threadN), threadN);
  Value tile = math.fromIndex(blockIndex(builder, loc, *launch));
  if (launch->grid[1] > 1) { // those behind the last tile repeat it
    tile = arith::MinUIOp::create(builder, loc, tile, math.constant(tiles - 1));
  }
  column = math.mul(math.rem(tile, tilesN), tileN);
  tile = math.div(tile, tilesN);
  row = math.mul(math.rem(tile, tilesM), tileM);
  Value batch = math.div(tile, tilesM);
  assignFlat(builder, *expr, axes.batch, batch);
}

//===- Factors -------------------------------------------------------------------------------===//

std::pair<Value, Value> FmaKernel::placeOf(I32Math &math, const Factor &factor, int64_t i) {
  Value element = math.add(thread, i * threads);
  int64_t inner = factor.alongK ? tileK : factor.tileRows;
  Value first = math.rem(element, inner);
  Value second = math.div(element, inner);
  return factor.alongK ? std::pair(second, first) : std::pair(first, second);
}

/// Integers are signed, as contract says.
Value FmaKernel::toCompute(OpBuilder &builder, Value value) {
  Type from = value.getType();
  if (from == compute) {
    return value;
  }
  unsigned width = compute.getIntOrFloatBitWidth();
  bool widens = from.getIntOrFloatBitWidth() < width;
  if (isa<FloatType>(from)) {
    return widens ? arith::ExtFOp::create(builder, loc, compute, value).getResult()
                  : arith::TruncFOp::create(builder, loc, compute, value).getResult();
  }
  if (!widens) {
    return arith::TruncIOp::create(builder, loc, compute, value);
  }
  return from.isInteger(1) ? arith::ExtUIOp::create(builder, loc, compute, value).getResult()
                           : arith::ExtSIOp::create(builder, loc, compute, value).getResult();
}

FmaKernel::Values FmaKernel::loadFactor(OpBuilder &builder, const Factor &factor, Value first,
                                        Value firstK) {
  I32Math math(builder, loc);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(compute));
  Values elements;
  for (int64_t i = 0; i < factor.tileRows * tileK / threads; ++i) {
    auto [inRows, inK] = placeOf(math, factor, i);
    Value at = math.add(first, inRows);
    Value k = math.add(firstK, inK);
    // Outside, the last element is loaded and not used.
    Value inside;
    auto limit = [&](Value &index, int64_t end, int64_t tile) {
      if (end % tile == 0) {
        return;
      }
      Value below = math.less(index, end);
      index = arith::MinUIOp::create(builder, loc, index, math.constant(end - 1));
      inside = inside ? arith::AndIOp::create(builder, loc, inside, below).getResult() : below;
    };
    limit(at, factor.numRows, factor.tileRows);
    limit(k, depth, tileK);
    VectorExpr::Scope scope(*expr);
    assignFlat(builder, *expr, factor.rows, at);
    assignFlat(builder, *expr, axes.k, k);
    Value element = toCompute(builder, expr->evaluate(builder, factor.value));
    elements.push_back(inside ? math.select(inside, element, zero) : element);
  }
  return elements;
}

void FmaKernel::stageFactor(OpBuilder &builder, const Factor &factor, ArrayRef<Value> elements) {
  I32Math math(builder, loc);
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto [inRows, inK] = placeOf(math, factor, i);
    Value at = math.toIndex(math.add(math.mul(inK, factor.pitch()), inRows));
    memref::StoreOp::create(builder, loc, element, factor.stage, at);
  }
}

//===- Sums ----------------------------------------------------------------------------------===//

FmaKernel::Values FmaKernel::multiply(OpBuilder &builder, ArrayRef<Value> sums) {
  I32Math math(builder, loc);
  Values next(sums);
  auto block = [&](const Factor &factor, Value first, int64_t k, int64_t count) {
    Values loaded;
    for (int64_t i = 0; i < count; ++i) {
      Value at = math.toIndex(math.add(first, k * factor.pitch() + i));
      loaded.push_back(memref::LoadOp::create(builder, loc, factor.stage, at));
    }
    return loaded;
  };
  for (int64_t k = 0; k < tileK; ++k) {
    Values left = block(a, threadRow, k, threadM);
    Values right = block(b, threadColumn, k, threadN);
    for (int64_t i = 0; i < threadM; ++i) {
      for (int64_t j = 0; j < threadN; ++j) {
        Value &total = next[i * threadN + j];
        if (isa<FloatType>(compute)) {
          total = math::FmaOp::create(builder, loc, left[i], right[j], total);
        } else {
          Value product = arith::MulIOp::create(builder, loc, left[i], right[j]);
          total = arith::AddIOp::create(builder, loc, product, total);
        }
      }
    }
  }
  return next;
}

FmaKernel::Values FmaKernel::sum(OpBuilder &builder) {
  I32Math math(builder, loc);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(compute));
  Values initial(threadM * threadN, zero);
  if (depth == 0) {
    return initial;
  }
  auto loop = scf::ForOp::create(builder, loc, math.constant(0), math.constant(depth),
                                 math.constant(tileK), initial);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  Value firstK = loop.getInductionVar();
  Values ofA = loadFactor(inside, a, row, firstK);
  Values ofB = loadFactor(inside, b, column, firstK);
  gpu::BarrierOp::create(inside, loc);
  stageFactor(inside, a, ofA);
  stageFactor(inside, b, ofB);
  gpu::BarrierOp::create(inside, loc);
  Values next = multiply(inside, Values(loop.getRegionIterArgs()));
  scf::YieldOp::create(inside, loc, next);
  return Values(loop.getResults());
}

//===- Stores --------------------------------------------------------------------------------===//

/// Through workgroup memory, so that neighbouring threads store neighbouring columns, and the
/// epilogue is one rolled loop.
void FmaKernel::store(OpBuilder &builder, ArrayRef<Value> sums) {
  I32Math math(builder, loc);
  int64_t pitch = tileN + padding;
  for (int64_t i = 0; i < threadM; ++i) {
    for (int64_t j = 0; j < threadN; ++j) {
      Value first = math.add(math.mul(threadRow, pitch), threadColumn);
      Value at = math.toIndex(math.add(first, i * pitch + j));
      memref::StoreOp::create(builder, loc, sums[i * threadN + j], results, at);
    }
  }
  gpu::BarrierOp::create(builder, loc);
  auto loop = scf::ForOp::create(builder, loc, math.constant(0), math.constant(tileM * tileN),
                                 math.constant(threads));
  OpBuilder inside = OpBuilder::atBlockTerminator(loop.getBody());
  I32Math inner(inside, loc);
  Value element = inner.add(loop.getInductionVar(), thread);
  Value inRow = inner.div(element, tileN);
  Value inColumn = inner.rem(element, tileN);
  Value atRow = inner.add(row, inRow);
  Value atColumn = inner.add(column, inColumn);
  Value isInside =
      arith::AndIOp::create(inside, loc, inner.less(atRow, m), inner.less(atColumn, n));
  Value at = inner.toIndex(inner.add(inner.mul(inRow, pitch), inColumn));
  OpBuilder guarded = scf::IfOp::create(inside, loc, isInside).getThenBodyBuilder();
  storeElement(guarded, atRow, atColumn, at);
}

/// The stores at one point, whose sum is element `at` of the results.
void FmaKernel::storeElement(OpBuilder &builder, Value atRow, Value atColumn, Value at) {
  VectorExpr::Scope scope(*expr);
  assignFlat(builder, *expr, axes.m, atRow);
  assignFlat(builder, *expr, axes.n, atColumn);
  Value total = memref::LoadOp::create(builder, loc, results, at);
  Type result = axes.op->getResult(0).getType();
  if (total.getType() != result) {
    total = arith::TruncFOp::create(builder, loc, result, total);
  }
  expr->bind(axes.op->getResult(0), total);
  for (StoreOp store : axes.stores) {
    expr->emitStore(builder, store);
  }
}

void lowerFmaContract(const AccessTable &table, const ContractAxes &axes, const Target &target,
                      std::array<int64_t, 2> tile) {
  FmaKernel(table, axes, target, tile).emit();
  KernelOp(table.kernel()).erase();
}

} // namespace zyxc
