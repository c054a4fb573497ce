#include "passes/lower/gpu/GpuFma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/ContractAxes.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/tile/PointSpace.h"
#include "passes/lower/tile/SimtTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Columns of a vector of accumulators.
static constexpr int64_t lanes = 4;
/// Threads of a workgroup along rows and along columns.
static constexpr int64_t threadsAcross = 16;
/// Steps of k in a tile.
static constexpr int64_t depth = 16;
/// Elements behind a row of a tile, which spread columns over the banks.
static constexpr int64_t padding = 4;
/// From this many rows and columns on, a thread has 8 x 8 accumulators, not 4 x 4.
static constexpr int64_t manyRows = 1024;

namespace {

/// One factor: its value over rows (m or n) and k.
struct Factor {
  Value value;
  SmallVector<unsigned> rows;
  bool lanesAlongK = true; ///< a thread loads neighbours along k, else along the rows
  int64_t width = 1;       ///< that it loads at once
};

class FmaLowering {
public:
  FmaLowering(const AccessTable &table, const ContractAxes &axes, const Target &target);
  void lower();

private:
  using Values = SmallVector<Value>;

  Factor factorOf(Value value, ArrayRef<unsigned> rows, const Target &target);
  PointSpace spaceOf(ArrayRef<unsigned> axes) const;
  void emitTile(OpBuilder &builder, Value index, Value active);
  /// The elements of a factor's tile that this thread brings, from step `firstK` on.
  Values load(OpBuilder &builder, const Factor &factor, VectorExpr &expr, Value batch, Value first,
              Value firstK);
  void leave(OpBuilder &builder, const Factor &factor, Stage stage, ValueRange loaded);
  /// Row and step in the tile of vector `number` of this thread.
  std::pair<Value, Value> placeOf(OpBuilder &builder, const Factor &factor, int64_t number);
  int64_t vectorsOf(const Factor &factor) const {
    return llvm::divideCeil(side * depth, factor.width * threads());
  }
  /// Adds the products of a tile to the accumulators.
  Values multiply(OpBuilder &builder, Stage a, Stage b, ValueRange accumulators);
  Value multiplyAdd(OpBuilder &builder, Value a, Value b, Value sum);
  void store(OpBuilder &builder, Value batch, Value firstRow, Value firstColumn, Value active,
             ValueRange accumulators);
  void storeVector(OpBuilder &builder, Value row, Value column, Value active, Value accumulator);
  void storeAt(OpBuilder &builder, Value row, Value column, Value active, Value value);
  Value convert(OpBuilder &builder, Value value);

  int64_t threads() const { return threadsAcross * threadsAcross; }
  int64_t groups() const { return side / (threadsAcross * lanes); } ///< of lanes, a side
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(OpBuilder &builder, Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value mul(OpBuilder &builder, Value a, int64_t b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, constant(builder, b));
  }
  /// `at`, at most the last point of a space; and whether it was one.
  std::pair<Value, Value> limit(OpBuilder &builder, Value at, int64_t size, bool ragged);

  const AccessTable &table;
  const Target &target;
  Location loc;
  ContractOp op;
  SmallVector<StoreOp> stores;
  SmallVector<unsigned> batchAxes, kAxes;
  Type type; ///< of sums
  int64_t side = 64;
  Factor a, b;
  int64_t batches, rows, columns, steps;
  GpuModule module;
  GpuLaunch gpu;
  std::unique_ptr<SimtTile> tile;
  std::unique_ptr<VectorExpr> exprA, exprB, epilogue;
};

} // namespace

//===- Planning ------------------------------------------------------------------------------===//

/// A load below a value, if it has one.
static LoadOp loadBelow(Value value) {
  DenseSet<Operation *> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *below = work.pop_back_val().getDefiningOp();
    if (!below || !seen.insert(below).second) {
      continue;
    }
    if (auto load = dyn_cast<LoadOp>(below)) {
      return load;
    }
    work.append(below->operand_begin(), below->operand_end());
  }
  return {};
}

Factor FmaLowering::factorOf(Value value, ArrayRef<unsigned> axes, const Target &machine) {
  Factor factor{value, SmallVector<unsigned>(axes)};
  LoadOp source = loadBelow(value);
  auto contiguous = [&](ArrayRef<unsigned> role) {
    return source && !role.empty() && strideOf(table, source, role.back()) == 1;
  };
  factor.lanesAlongK = contiguous(kAxes) || !contiguous(axes);
  ArrayRef<unsigned> role = factor.lanesAlongK ? ArrayRef<unsigned>(kAxes) : axes;
  if (source && role.size() == 1) {
    factor.width = std::min(laneWidth(table, role.front(), machine, lanes), lanes);
  }
  return factor;
}

/// True if the first store is contiguous along one of these axes.
static bool storesAlong(const AccessTable &table, StoreOp store, ArrayRef<unsigned> axes) {
  return llvm::any_of(axes, [&](unsigned axis) { return strideOf(table, store, axis) == 1; });
}

FmaLowering::FmaLowering(const AccessTable &table, const ContractAxes &axes, const Target &target)
    : table(table), target(target), loc(table.kernel().getLoc()), op(axes.op), stores(axes.stores),
      batchAxes(axes.batch), kAxes(axes.k), type(ContractOp(axes.op).getType()),
      module(table.kernel(), target) {
  // Columns are the role along which the stores are contiguous.
  bool swap =
      storesAlong(table, stores.front(), axes.m) && !storesAlong(table, stores.front(), axes.n);
  a = factorOf(swap ? op.getB() : op.getA(), swap ? axes.n : axes.m, target);
  b = factorOf(swap ? op.getA() : op.getB(), swap ? axes.m : axes.n, target);
  batches = productOf(table, batchAxes);
  rows = productOf(table, a.rows);
  columns = productOf(table, b.rows);
  steps = productOf(table, kAxes);
  bool large = rows >= manyRows && columns >= manyRows && target.kind == TargetKind::Ptx &&
               type.getIntOrFloatBitWidth() <= 32;
  side = large ? 128 : 64;
}

PointSpace FmaLowering::spaceOf(ArrayRef<unsigned> axes) const {
  AxisSet set = 0;
  for (unsigned axis : axes) {
    set |= axisBit(axis);
  }
  return PointSpace(table, set, std::nullopt, 1);
}

//===- Tiles of the factors ------------------------------------------------------------------===//

std::pair<Value, Value> FmaLowering::limit(OpBuilder &builder, Value at, int64_t size,
                                           bool ragged) {
  if (!ragged) {
    return {at, Value()};
  }
  Value last = constant(builder, size - 1);
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, at, last);
  return {arith::MinUIOp::create(builder, loc, at, last), exists};
}

std::pair<Value, Value> FmaLowering::placeOf(OpBuilder &builder, const Factor &factor,
                                             int64_t number) {
  Value at = add(builder, tile->thread(builder), constant(builder, number * threads()));
  int64_t along = (factor.lanesAlongK ? depth : side) / factor.width;
  auto [outer, inner] = splitIndex(builder, loc, at, along, side * depth);
  inner = mul(builder, inner, factor.width);
  return factor.lanesAlongK ? std::pair(outer, inner) : std::pair(inner, outer);
}

/// Assigns the axes of a role at a flattened index; with lanes if the role is one axis.
static void assignRole(OpBuilder &builder, VectorExpr &expr, const PointSpace &space,
                       ArrayRef<unsigned> axes, Value at, bool hasLanes) {
  if (hasLanes && axes.size() == 1) {
    expr.assignLanes(axes.front(), at, 1, expr.width());
  } else {
    space.assign(builder, expr, at);
  }
}

SmallVector<Value> FmaLowering::load(OpBuilder &builder, const Factor &factor, VectorExpr &expr,
                                     Value batch, Value first, Value firstK) {
  int64_t size = productOf(table, factor.rows);
  Values loaded;
  for (int64_t number = 0; number < vectorsOf(factor); ++number) {
    auto [row, step] = placeOf(builder, factor, number);
    bool wide = factor.width > 1;
    // A vector is inside as a whole: its width divides the extent.
    auto [rowAt, rowExists] =
        limit(builder, add(builder, first, row), size - (factor.lanesAlongK ? 1 : factor.width) + 1,
              size % side != 0);
    auto [stepAt, stepExists] = limit(builder, add(builder, firstK, step),
                                      steps - (factor.lanesAlongK ? factor.width : 1) + 1, true);
    VectorExpr::Scope scope(expr);
    spaceOf(batchAxes).assign(builder, expr, batch);
    assignRole(builder, expr, spaceOf(factor.rows), factor.rows, rowAt,
               wide && !factor.lanesAlongK);
    assignRole(builder, expr, spaceOf(kAxes), kAxes, stepAt, wide && factor.lanesAlongK);
    Value value = expr.evaluateVector(builder, factor.value);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(value.getType()));
    Value exists = stepExists;
    if (auto vector = dyn_cast<VectorType>(value.getType())) {
      auto mask = VectorType::get(vector.getShape(), builder.getI1Type());
      exists = vector::BroadcastOp::create(builder, loc, mask, exists);
    }
    loaded.push_back(arith::SelectOp::create(builder, loc, exists, value, zero));
  }
  return loaded;
}

Value FmaLowering::convert(OpBuilder &builder, Value value) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == type) {
    return value;
  }
  Type to = type;
  if (auto vector = dyn_cast<VectorType>(value.getType())) {
    to = VectorType::get(vector.getShape(), type);
  }
  bool widens = from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type)) {
    return widens ? arith::ExtFOp::create(builder, loc, to, value).getResult()
                  : arith::TruncFOp::create(builder, loc, to, value).getResult();
  }
  return widens ? arith::ExtSIOp::create(builder, loc, to, value).getResult()
                : arith::TruncIOp::create(builder, loc, to, value).getResult();
}

void FmaLowering::leave(OpBuilder &builder, const Factor &factor, Stage stage, ValueRange loaded) {
  int64_t pitch = side + padding;
  for (auto [number, value] : llvm::enumerate(loaded)) {
    auto [row, step] = placeOf(builder, factor, static_cast<int64_t>(number));
    Value wide = convert(builder, value);
    Value place = add(builder, mul(builder, step, pitch), row);
    if (!isa<VectorType>(wide.getType())) {
      memref::StoreOp::create(builder, loc, wide, stage, place);
    } else if (!factor.lanesAlongK) {
      int64_t bytes = factor.width * type.getIntOrFloatBitWidth() / 8;
      vector::StoreOp::create(builder, loc, wide, stage, place, false,
                              llvm::MaybeAlign(std::min<uint64_t>(bytes, 16)));
    } else {
      for (int64_t lane = 0; lane < factor.width; ++lane) {
        Value one = vector::ExtractOp::create(builder, loc, wide, lane);
        Value at = add(builder, place, constant(builder, lane * pitch));
        memref::StoreOp::create(builder, loc, one, stage, at);
      }
    }
  }
}

//===- Products ------------------------------------------------------------------------------===//

Value FmaLowering::multiplyAdd(OpBuilder &builder, Value x, Value y, Value sum) {
  if (isa<FloatType>(type)) {
    return math::FmaOp::create(builder, loc, x, y, sum);
  }
  Value product = arith::MulIOp::create(builder, loc, x, y);
  return arith::AddIOp::create(builder, loc, product, sum);
}

SmallVector<Value> FmaLowering::multiply(OpBuilder &builder, Stage stageA, Stage stageB,
                                         ValueRange accumulators) {
  int64_t pitch = side + padding;
  auto vector = VectorType::get({lanes}, type);
  auto loop = scf::ForOp::create(builder, loc, constant(builder, 0), constant(builder, depth),
                                 constant(builder, 1), accumulators);
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  auto [threadRow, threadColumn] =
      splitIndex(inside, loc, tile->thread(inside), threadsAcross, threads());
  Value row = mul(inside, loop.getInductionVar(), pitch);
  auto read = [&](Stage stage, Value thread, int64_t group) -> Value {
    Value at = add(inside, row, mul(inside, thread, lanes));
    at = add(inside, at, constant(inside, group * threadsAcross * lanes));
    uint64_t bytes = lanes * type.getIntOrFloatBitWidth() / 8;
    return vector::LoadOp::create(inside, loc, vector, stage, at, false,
                                  llvm::MaybeAlign(std::min<uint64_t>(bytes, 16)));
  };
  Values right;
  for (int64_t group = 0; group < groups(); ++group) {
    right.push_back(read(stageB, threadColumn, group));
  }
  Values next;
  for (int64_t group = 0; group < groups(); ++group) {
    Value left = read(stageA, threadRow, group);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value one = vector::ExtractOp::create(inside, loc, left, lane);
      Value all = vector::BroadcastOp::create(inside, loc, vector, one);
      for (Value other : right) {
        Value sum = loop.getRegionIterArgs()[next.size()];
        next.push_back(multiplyAdd(inside, all, other, sum));
      }
    }
  }
  scf::YieldOp::create(inside, loc, next);
  return Values(loop.getResults());
}

void FmaLowering::emitTile(OpBuilder &builder, Value index, Value active) {
  int64_t across = llvm::divideCeil(columns, side);
  int64_t down = llvm::divideCeil(rows, side);
  auto [rest, columnTile] = splitIndex(builder, loc, index, across, batches * down * across);
  auto [batch, rowTile] = splitIndex(builder, loc, rest, down, batches * down);
  Value firstRow = mul(builder, rowTile, side);
  Value firstColumn = mul(builder, columnTile, side);
  Stage stageA = tile->stageAlloc(builder, type, (side + padding) * depth);
  Stage stageB = tile->stageAlloc(builder, type, (side + padding) * depth);
  auto vector = VectorType::get({lanes}, type);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  size_t count = lanes * groups() * groups();
  // The elements of the next step are on their way while this one is multiplied.
  auto fetch = [&](OpBuilder &b_, Value firstK) {
    Values both = load(b_, a, *exprA, batch, firstRow, firstK);
    both.append(load(b_, b, *exprB, batch, firstColumn, firstK));
    return both;
  };
  Values carried(count, zero);
  if (steps > 0) {
    carried.append(fetch(builder, constant(builder, 0)));
    auto loop = scf::ForOp::create(builder, loc, constant(builder, 0), constant(builder, steps),
                                   constant(builder, depth), carried);
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    ValueRange arguments = loop.getRegionIterArgs();
    ValueRange loaded = arguments.drop_front(count);
    tile->releaseEmpty(inside);
    leave(inside, a, stageA, loaded.take_front(vectorsOf(a)));
    leave(inside, b, stageB, loaded.drop_front(vectorsOf(a)));
    tile->waitFull(inside);
    Value next = add(inside, loop.getInductionVar(), constant(inside, depth));
    Values fetched = fetch(inside, next);
    Values yielded = multiply(inside, stageA, stageB, arguments.take_front(count));
    yielded.append(fetched);
    scf::YieldOp::create(inside, loc, yielded);
    carried = Values(loop.getResults().take_front(count));
  }
  store(builder, batch, firstRow, firstColumn, active, carried);
}

//===- Epilogue ------------------------------------------------------------------------------===//

void FmaLowering::storeAt(OpBuilder &builder, Value row, Value column, Value active, Value value) {
  VectorExpr::Scope scope(*epilogue);
  spaceOf(a.rows).assign(builder, *epilogue, row);
  assignRole(builder, *epilogue, spaceOf(b.rows), b.rows, column, epilogue->width() > 1);
  epilogue->bind(op.getResult(), value);
  auto storeAll = [&](OpBuilder &inside) {
    VectorExpr::Scope inner(*epilogue);
    for (StoreOp one : stores) {
      epilogue->emitStore(inside, one);
    }
  };
  if (active) {
    tile->role(builder, active, storeAll);
  } else {
    storeAll(builder);
  }
}

void FmaLowering::storeVector(OpBuilder &builder, Value row, Value column, Value active,
                              Value accumulator) {
  auto both = [&](Value x, Value y) -> Value {
    return x && y ? arith::AndIOp::create(builder, loc, x, y).getResult() : (x ? x : y);
  };
  bool ragged = columns % side != 0;
  if (epilogue->width() > 1) {
    auto [at, exists] = limit(builder, column, columns - lanes + 1, ragged);
    storeAt(builder, row, at, both(active, exists), accumulator);
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    auto [at, exists] =
        limit(builder, add(builder, column, constant(builder, lane)), columns, ragged);
    Value one = vector::ExtractOp::create(builder, loc, accumulator, lane);
    storeAt(builder, row, at, both(active, exists), one);
  }
}

void FmaLowering::store(OpBuilder &builder, Value batch, Value firstRow, Value firstColumn,
                        Value active, ValueRange accumulators) {
  auto [threadRow, threadColumn] =
      splitIndex(builder, loc, tile->thread(builder), threadsAcross, threads());
  VectorExpr::Scope scope(*epilogue);
  spaceOf(batchAxes).assign(builder, *epilogue, batch);
  size_t number = 0;
  for (int64_t group = 0; group < groups(); ++group) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value row = add(builder, firstRow, mul(builder, threadRow, lanes));
      row = add(builder, row, constant(builder, group * threadsAcross * lanes + lane));
      auto [at, exists] = limit(builder, row, rows, rows % side != 0);
      if (active) {
        exists = exists ? arith::AndIOp::create(builder, loc, exists, active).getResult() : active;
      }
      for (int64_t across = 0; across < groups(); ++across) {
        Value column = add(builder, firstColumn, mul(builder, threadColumn, lanes));
        column = add(builder, column, constant(builder, across * threadsAcross * lanes));
        storeVector(builder, at, column, exists, accumulators[number++]);
      }
    }
  }
}

void FmaLowering::lower() {
  int64_t tiles = batches * llvm::divideCeil(rows, side) * llvm::divideCeil(columns, side);
  gpu = module.addLaunch(tiles, threads());
  if (tiles > 0) {
    tile = std::make_unique<SimtTile>(gpu, target, loc);
    auto make = [&](int64_t width) {
      return std::make_unique<VectorExpr>(table, gpu.ports, width, LaneStyle::Thread);
    };
    exprA = make(a.width);
    exprB = make(b.width);
    bool wide = b.rows.size() == 1 && columns % lanes == 0;
    epilogue = make(wide ? lanes : 1);
    OpBuilder start = tile->atEnd();
    tile->tileLoop(start, tiles, [&](OpBuilder &builder, Value index, Value active) {
      emitTile(builder, index, active);
    });
  }
  table.kernel().erase();
}

bool isFmaContraction(AccessTable table) {
  table.mergeAxes();
  ContractAxes axes = ContractAxes::find(table);
  return axes.op && !axes.m.empty() && !axes.n.empty();
}

void lowerGpuFma(AccessTable &table, const Target &target) {
  table.mergeAxes();
  FmaLowering(table, ContractAxes::find(table), target).lower();
}

} // namespace zyxc
