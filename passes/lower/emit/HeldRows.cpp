#include "passes/lower/emit/HeldRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/emit/BoolMemory.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Rows of one kernel: half of a small L2 cache.
static constexpr int64_t maxHeldBytes = 256 * 1024;
/// Shorter rows are recomputed faster than they are stored.
static constexpr int64_t minVectors = 4;
/// Costs in loads. Holding a value costs a store, and a load in each later loop.
static constexpr double mathCost = 10, divideCost = 3, reduceCost = 50, otherCost = 0.25;
static constexpr double worthHolding = 1.9;

namespace {

/// Finds the values that a loop needs and an earlier loop has computed.
class HeldChoice {
public:
  HeldChoice(const AccessTable &table, AxisSet shared, int64_t width)
      : table(table), shared(shared), width(width) {}

  /// A loop that evaluates `roots`.
  void addLoop(ArrayRef<Value> roots);
  ArrayRef<Value> held() const { return chosen.getArrayRef(); }
  std::optional<unsigned> axisOf(Value value) const;
  bool isDear(Value value) const {
    DenseSet<Value> counted;
    return costOf(value, counted) >= mathCost;
  }

private:
  bool isHoldable(Value value) const;
  double costOf(Value value, DenseSet<Value> &counted) const;

  const AccessTable &table;
  AxisSet shared;
  int64_t width;
  DenseSet<Value> earlier; ///< computed by loops up to now
  llvm::SetVector<Value> chosen;
};

} // namespace

std::optional<unsigned> HeldChoice::axisOf(Value value) const {
  AxisSet own = table.axesOf(value) & ~shared;
  if (!llvm::has_single_bit(own)) {
    return std::nullopt;
  }
  return llvm::countr_zero(own);
}

bool HeldChoice::isHoldable(Value value) const {
  std::optional<unsigned> axis = axisOf(value);
  Type type = value.getType();
  return axis && table.isSafe(value) && !isa_and_nonnull<ScanOp, FoldOp>(value.getDefiningOp()) &&
         type.isIntOrFloat() && !type.isInteger(1) && table.extent(*axis) >= minVectors * width;
}

double HeldChoice::costOf(Value value, DenseSet<Value> &counted) const {
  Operation *op = value.getDefiningOp();
  if (!op || !counted.insert(value).second || (table.axesOf(value) & ~shared) == 0) {
    return 0;
  }
  if (isa<LoadOp>(op) || (chosen.contains(value) && counted.size() > 1)) {
    return 1;
  }
  if (isa<ReduceOp, FoldOp, ContractOp>(op)) {
    return reduceCost;
  }
  bool isMath = op->getDialect() && op->getDialect()->getNamespace() == "math";
  double cost = isMath ? mathCost : isa<arith::DivFOp>(op) ? divideCost : otherCost;
  for (Value operand : op->getOperands()) {
    cost += costOf(operand, counted);
  }
  return cost;
}

void HeldChoice::addLoop(ArrayRef<Value> roots) {
  SmallVector<Value> work(roots);
  DenseSet<Value> own;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<PortType>(value.getType()) || !own.insert(value).second) {
      continue;
    }
    DenseSet<Value> counted;
    if (earlier.contains(value) && isHoldable(value) && costOf(value, counted) >= worthHolding) {
      chosen.insert(value);
      continue;
    }
    if (!isa<ReduceOp, FoldOp, ContractOp, ScanOp>(op)) {
      work.append(op->operand_begin(), op->operand_end());
    }
  }
  earlier.insert(own.begin(), own.end());
}

/// Elements of the scratch memory of one value: a vector more than the row.
static int64_t elementsOf(const AccessTable &table, unsigned axis, int64_t width) {
  int64_t extent = table.hasConstantExtent(axis) ? table.extent(axis) : mostHeldElements;
  return llvm::alignTo(extent, width) + width;
}

static int64_t bytesOf(const AccessTable &table, Value value, unsigned axis, int64_t width) {
  int64_t elements = elementsOf(table, axis, width);
  return llvm::alignTo(elements * llvm::divideCeil(value.getType().getIntOrFloatBitWidth(), 8), 64);
}

SmallVector<HeldValue> heldScans(const AccessTable &table, int64_t width, int64_t &bytes) {
  SmallVector<HeldValue> held;
  for (auto scan : table.kernel()->getRegion(0).front().getOps<ScanOp>()) {
    auto axis = static_cast<unsigned>(scan.getAxis());
    if (!table.hasConstantExtent(axis)) {
      continue; // used at once
    }
    held.push_back({scan.getResult(), axis, bytes});
    bytes += bytesOf(table, scan.getResult(), axis, width);
  }
  return held;
}

SmallVector<HeldValue> chooseHeldValues(const AccessTable &table, AxisSet shared, int64_t width,
                                        int64_t &bytes) {
  HeldChoice choice(table, shared, width);
  SmallVector<Value> stored;
  for (Operation &op : table.kernel()->getRegion(0).front()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      choice.addLoop(reduce.getValue());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      stored.push_back(store.getValue());
    }
  }
  choice.addLoop(stored);
  SmallVector<HeldValue> held;
  for (Value value : choice.held()) {
    unsigned axis = *choice.axisOf(value);
    int64_t size = bytesOf(table, value, axis, width);
    if (bytes + size <= maxHeldBytes) {
      held.push_back({value, axis, bytes, choice.isDear(value)});
      bytes += size;
    }
  }
  return held;
}

HeldRows::HeldRows(OpBuilder &builder, Location loc, VectorExpr &expr, ArrayRef<HeldValue> values,
                   Value scratch, Value shift)
    : expr(expr) {
  for (const HeldValue &value : values) {
    Type element = value.bodyValue.getType();
    int64_t elements = elementsOf(expr.table(), value.axis, expr.width());
    Value offset = arith::ConstantIndexOp::create(builder, loc, value.offset);
    if (shift) {
      offset = arith::AddIOp::create(builder, loc, offset, shift);
    }
    Row row;
    row.memory =
        memref::ViewOp::create(builder, loc, MemRefType::get(elements, storedType(element)),
                               scratch, offset, ValueRange());
    row.axis = value.axis;
    rows[value.bodyValue] = row;
  }
  if (!values.empty()) {
    expr.setHolder(this);
  }
}

HeldRows::~HeldRows() {
  expr.setHolder(nullptr);
}

Value HeldRows::load(OpBuilder &builder, Operation *op) {
  auto at = rows.find(op->getResult(0));
  if (at == rows.end() || !at->second.filled) {
    return {};
  }
  const Row &row = at->second;
  Location loc = op->getLoc();
  LaneIndexEmitter emit(builder, loc, expr.width());
  LaneIndex index = expr.coordinateOf(row.axis);
  if (index.isUniform()) {
    Value loaded = memref::LoadOp::create(builder, loc, row.memory, emit.first(index));
    return fromStored(builder, loc, loaded, op->getResult(0).getType());
  }
  if (index.lanes || index.step != 1) {
    return {};
  }
  auto type = VectorType::get(expr.width(), op->getResult(0).getType());
  auto stored = cast<VectorType>(storedType(type));
  Value element = emit.first(index);
  Value loaded = vector::LoadOp::create(builder, loc, stored, row.memory, element);
  loaded = fromStored(builder, loc, loaded, type);
  emitBeside(builder, op, element);
  return loaded;
}

void HeldRows::emitBeside(OpBuilder &builder, Operation *op, Value at) {
  Value value = op->getResult(0);
  if (!beside || loops != 1 || (besideValue && besideValue != value) || expr.isConditional()) {
    return;
  }
  besideValue = value;
  beside(builder, at);
}

void HeldRows::computed(OpBuilder &builder, Operation *op, Value result) {
  auto at = rows.find(op->getResult(0));
  if (at == rows.end() || at->second.filled || expr.isConditional()) {
    return;
  }
  Row &row = at->second;
  LaneIndex index = expr.coordinateOf(row.axis);
  if (index.lanes || index.step != 1) {
    return;
  }
  // Lanes behind the end of the row are written, too: the memory is longer than the row.
  Location loc = op->getLoc();
  if (!isa<VectorType>(result.getType())) {
    auto type = VectorType::get(expr.width(), result.getType());
    result = vector::BroadcastOp::create(builder, loc, type, result);
  }
  LaneIndexEmitter emit(builder, loc, expr.width());
  Value element = emit.first(index);
  vector::StoreOp::create(builder, loc, result, row.memory, element);
  row.written = true;
  emitBeside(builder, op, element);
}

void HeldRows::setFilled() {
  for (auto &[value, row] : rows) {
    row.filled = true;
  }
}

void HeldRows::loopEnded() {
  ++loops;
  for (auto &[value, row] : rows) {
    row.filled |= row.written;
    row.written = false;
  }
}

} // namespace zyxc
