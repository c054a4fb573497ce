#include "passes/lower/tile/RowStages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/lower/tile/TeamNest.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Bytes of the widest access to workgroup memory.
static constexpr int64_t stageAccessBytes = 16;

bool isCombining(Operation *op) {
  return isa_and_nonnull<ReduceOp, ContractOp, ExpsumOp, WelfordOp, FoldOp, ScanOp>(op);
}

static int64_t bytesOf(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

int64_t StagePlan::bytes(int64_t points) const {
  int64_t bytes = 0;
  for (Type type : slotTypes) {
    bytes += llvm::alignTo<stageAccessBytes>(points * bytesOf(type));
  }
  return bytes;
}

//===- Choice --------------------------------------------------------------------------------===//

std::vector<SmallVector<Value>> sweepsOver(const AccessTable &table, AxisSet unitAxes,
                                           AxisSet axes) {
  std::vector<SmallVector<Value>> sweeps;
  Block &block = table.kernel().getBlock();
  for (Operation &op : block) {
    if (isa<ReduceOp, ExpsumOp, WelfordOp>(op) && table.reducedBy(&op) == axes) {
      sweeps.emplace_back(op.getOperands());
    }
  }
  for (const StoreGroup &group : storeGroups(table)) {
    if ((group.domain & ~unitAxes & ~group.serial) == axes) {
      sweeps.push_back(valuesOf(group.stores));
    }
  }
  return sweeps;
}

namespace {

/// Finds the values that a sweep needs and an earlier one has computed.
class StageChoice {
public:
  StageChoice(const AccessTable &table, AxisSet unitAxes, AxisSet axes)
      : table(table), unitAxes(unitAxes), axes(axes) {}

  void addSweep(unsigned number, ArrayRef<Value> roots);
  StagePlan finish();

private:
  bool isHoldable(Value value) const;
  /// Bytes of the loads below a value, whether all could be held themselves, and whether a function
  /// stands above them.
  struct Below {
    int64_t bytes = 0;
    bool holdable = true, dear = false;
  };
  Below below(Value value) const;
  bool isWorth(Value value) const;

  const AccessTable &table;
  AxisSet unitAxes, axes;
  llvm::DenseMap<Value, unsigned> earlier; ///< the first sweep that computes it
  llvm::MapVector<Value, StagedValue> chosen;
};

} // namespace

bool StageChoice::isHoldable(Value value) const {
  AxisSet own = table.axesOf(value);
  Type type = value.getType();
  // What all units share is in the caches.
  return (own & ~unitAxes) == axes && ((own & unitAxes) != 0 || table.points(unitAxes) == 1) &&
         table.isSafe(value) && type.isIntOrFloat() && !type.isInteger(1);
}

StageChoice::Below StageChoice::below(Value value) const {
  Below found;
  DenseSet<Value> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || isCombining(op) || (table.axesOf(next) & ~unitAxes) == 0 ||
        !seen.insert(next).second) {
      continue;
    }
    if (next != value && chosen.contains(next)) {
      found.bytes += bytesOf(next.getType());
      continue;
    }
    if (isa<LoadOp>(op)) {
      bool shared = (table.axesOf(next) & unitAxes) == 0;
      found.bytes += shared ? 0 : bytesOf(next.getType());
      found.holdable &= shared || isHoldable(next);
      continue;
    }
    found.dear |= op->getName().getDialectNamespace() == "math" || isa<arith::DivFOp>(op);
    work.append(op->operand_begin(), op->operand_end());
  }
  return found;
}

bool StageChoice::isWorth(Value value) const {
  if (isa<LoadOp>(value.getDefiningOp())) {
    return true;
  }
  Below loads = below(value);
  int64_t own = bytesOf(value.getType());
  return own < loads.bytes || (own == loads.bytes && (loads.dear || !loads.holdable));
}

void StageChoice::addSweep(unsigned number, ArrayRef<Value> roots) {
  SmallVector<Value> work(roots);
  DenseSet<Value> own;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isCombining(op) || isa<PortType>(value.getType()) || !own.insert(value).second) {
      continue;
    }
    auto known = earlier.find(value);
    if (known != earlier.end() && isHoldable(value) && isWorth(value)) {
      auto [at, isNew] = chosen.insert({value, StagedValue{value, known->second, number, 0}});
      at->second.last = number;
      continue;
    }
    work.append(op->operand_begin(), op->operand_end());
  }
  for (Value value : own) {
    earlier.try_emplace(value, number);
  }
}

StagePlan StageChoice::finish() {
  StagePlan plan;
  plan.axes = axes;
  SmallVector<unsigned> freeFrom; // per slot: the sweep that may write another value
  for (auto &[value, staged] : chosen) {
    unsigned slot = 0;
    while (slot < freeFrom.size() &&
           (freeFrom[slot] > staged.first || plan.slotTypes[slot] != value.getType())) {
      ++slot;
    }
    if (slot == freeFrom.size()) {
      freeFrom.push_back(0);
      plan.slotTypes.push_back(value.getType());
    }
    // The last sweep that reads it may write the next value in its place, chunk by chunk.
    freeFrom[slot] = staged.last;
    staged.slot = slot;
    plan.values.push_back(staged);
  }
  return plan;
}

StagePlan chooseStages(const AccessTable &table, AxisSet unitAxes, AxisSet axes) {
  for (Operation &op : table.kernel().getBlock()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    bool serial = reduce && reduce.getOrder() == ReduceOrder::Serial;
    if (isa<ScanOp, FoldOp>(op) ||
        (isCombining(&op) && (serial || (table.axesOf(op.getResult(0)) & ~unitAxes) != 0))) {
      return {};
    }
  }
  StageChoice choice(table, unitAxes, axes);
  for (auto [number, roots] : llvm::enumerate(sweepsOver(table, unitAxes, axes))) {
    choice.addSweep(number, roots);
  }
  return choice.finish();
}

//===- Emission ------------------------------------------------------------------------------===//

void RowStages::beginSweep(bool isHeld) {
  active = isHeld;
  sweep += isHeld ? 1 : 0;
}

const StagedValue *RowStages::find(Value bodyValue) const {
  if (!active) {
    return nullptr;
  }
  for (const StagedValue &staged : plan.values) {
    if (staged.bodyValue == bodyValue) {
      return &staged;
    }
  }
  return nullptr;
}

bool RowStages::isThere(Value bodyValue) const {
  const StagedValue *staged = find(bodyValue);
  return staged && static_cast<int>(staged->first) < sweep &&
         sweep <= static_cast<int>(staged->last);
}

Stage RowStages::memory(OpBuilder &builder, unsigned slot) {
  memories.resize(plan.slotTypes.size());
  if (!memories[slot]) {
    int64_t teams = tile.threads() / team.size;
    memories[slot] = tile.stageAlloc(builder, plan.slotTypes[slot], teams * chunks * lanes);
  }
  return memories[slot];
}

Value RowStages::elementOf(OpBuilder &builder, Location loc, Value place) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (tile.threads() > team.size) {
    Value base =
        builder.createOrFold<arith::MulIOp>(loc, tile.teamIndex(builder, team), constant(chunks));
    place = builder.createOrFold<arith::AddIOp>(loc, base, place);
  }
  return builder.createOrFold<arith::MulIOp>(loc, place, constant(lanes));
}

static llvm::MaybeAlign alignmentOf(VectorType type) {
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  return llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, stageAccessBytes)));
}

Value RowStages::load(OpBuilder &builder, Operation *op) {
  if (!chunk || !isThere(op->getResult(0))) {
    return {};
  }
  Location loc = op->getLoc();
  Stage from = memory(builder, find(op->getResult(0))->slot);
  Value at = elementOf(builder, loc, chunk);
  if (lanes == 1) {
    return memref::LoadOp::create(builder, loc, from, at);
  }
  auto type = VectorType::get({lanes}, op->getResult(0).getType());
  return vector::LoadOp::create(builder, loc, type, from, at, false, alignmentOf(type));
}

void RowStages::computed(OpBuilder &, Operation *op, Value result) {
  const StagedValue *staged = find(op->getResult(0));
  if (staged && chunk && static_cast<int>(staged->first) == sweep) {
    pending.push_back({staged, chunk, result});
  }
}

void RowStages::flush(OpBuilder &builder) {
  for (const Pending &write : pending) {
    Location loc = write.value.getLoc();
    Stage to = memory(builder, write.staged->slot);
    Value at = elementOf(builder, loc, write.place);
    if (lanes == 1) {
      memref::StoreOp::create(builder, loc, write.value, to, at);
      continue;
    }
    auto type = VectorType::get({lanes}, write.staged->bodyValue.getType());
    Value value = write.value;
    if (!isa<VectorType>(value.getType())) {
      value = vector::BroadcastOp::create(builder, loc, type, value);
    }
    vector::StoreOp::create(builder, loc, value, to, at, false, alignmentOf(type));
  }
  pending.clear();
}

} // namespace zyxc
