#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IRMapping.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/ProgramEdit.h"
#include "passes/kernel/edit/SpaceChange.h"
#include "llvm/Support/MathExtras.h"

namespace zyxc {

#define GEN_PASS_DEF_SPLITREDUCTIONPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

namespace {

/// One reduction of a kernel and the axis that is cut into parts.
struct Split {
  unsigned op = 0;    ///< position in the body
  unsigned axis = 0;  ///< the longest one that the op combines
  int64_t extent = 0; ///< of the axis
  int64_t parts = 0;
  int64_t length = 0; ///< of a part

  bool isRagged() const { return parts * length != extent; }
};

/// Builds the two kernels and their program.
class Splitter {
public:
  Splitter(KernelOp kernel, const Split &split) : original(kernel), split(split) {}
  ProgramOp run();

private:
  static Operation &opAt(KernelOp kernel, unsigned position) {
    return *std::next(kernel.getBlock().begin(), position);
  }
  void cutAxis(KernelOp kernel);
  void guardParts(KernelOp kernel, Operation &op);
  void makeParts();
  void makeJoin();
  Value loadPart(OpBuilder &builder, unsigned result, unsigned part);
  void join(OpBuilder &builder, Operation &op, unsigned part);
  void joinWelford(OpBuilder &builder, WelfordOp op, unsigned part);
  void joinFold(OpBuilder &builder, FoldOp op, unsigned part);
  ProgramOp makeProgram();

  KernelOp original;
  Split split;
  KernelOp parts, joined;
  SmallVector<unsigned> partsPorts, joinPorts;   ///< ports of the original that they take
  SmallVector<SmallVector<unsigned>> resultAxes; ///< of the op's results, in the original
  SmallVector<PortType> scratch;                 ///< as the parts kernel writes them
};

} // namespace

/// The split axis becomes part * length + rest; the part is a new, last axis.
void Splitter::cutAxis(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  unsigned part = addAxis(kernel, "part", getAffineConstantExpr(split.parts, context));
  SpaceChange change = SpaceChange::identity(kernel);
  change.bounds[split.axis] = getAffineConstantExpr(split.length, context);
  change.axes[split.axis] =
      getAffineDimExpr(part, context) * split.length + getAffineDimExpr(split.axis, context);
  changeSpace(kernel, change);
}

/// Points beyond the end of the axis are left out, by values that change nothing. What a welford or
/// a fold combines has none: there the domain is restricted.
void Splitter::guardParts(KernelOp kernel, Operation &op) {
  MLIRContext *context = kernel.getContext();
  AffineExpr left = getAffineConstantExpr(split.extent - 1, context) -
                    getAffineDimExpr(kernel.getNumAxes() - 1, context) * split.length -
                    getAffineDimExpr(split.axis, context);
  auto set = IntegerSet::get(kernel.getNumAxes(), kernel.getNumDims(), {left}, {false});
  if (isa<WelfordOp, FoldOp>(op)) {
    kernel.setDomainAttr(IntegerSetAttr::get(set));
    return;
  }
  OpBuilder builder(&op);
  AxisSets sets(kernel);
  for (OpOperand &operand : op.getOpOperands()) {
    if (!contains(sets[operand.get()], split.axis)) {
      continue;
    }
    ReduceKind kind = ReduceKind::Add;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      kind = reduce.getKind();
    } else if (isa<ExpsumOp>(op) && operand.getOperandNumber() == 0) {
      kind = ReduceKind::Max;
    }
    Type type = operand.get().getType();
    Value identity = makeIdentity(builder, op.getLoc(), kind, type);
    operand.set(WhereOp::create(builder, op.getLoc(), type, operand.get(), identity, set));
  }
}

/// The first kernel: the op over each part, its results stored.
void Splitter::makeParts() {
  parts = copyKernel(original, (original.getSymName() + "_parts").str());
  parts.removeScheduleAttr();
  Operation &op = opAt(parts, split.op);
  cutAxis(parts);
  if (split.isRagged()) {
    guardParts(parts, op);
  }
  for (auto store : llvm::make_early_inc_range(parts.getBlock().getOps<StoreOp>())) {
    store.erase();
  }
  AxisSets sets(parts);
  unsigned part = parts.getNumAxes() - 1;
  OpBuilder builder(parts.getContext());
  builder.setInsertionPointToEnd(&parts.getBlock());
  for (Value result : op.getResults()) {
    SmallVector<unsigned> axes = axesOf(sets[result] & ~axisBit(part));
    resultAxes.push_back(axes);
    axes.insert(axes.begin(), part);
    BlockArgument port = addPort(parts, result.getType(), PortMode::Out, axes);
    scratch.push_back(cast<PortType>(port.getType()));
    StoreOp::create(builder, parts.getLoc(), result, port, ValueRange(), axesMap(parts, axes),
                    Combine::None);
  }
  dropUnusedOps(parts);
  partsPorts = dropUnusedPorts(parts);
  dropUnusedAxes(parts);
}

/// A result of the op over one part.
Value Splitter::loadPart(OpBuilder &builder, unsigned result, unsigned part) {
  SmallVector<unsigned> axes = resultAxes[result];
  axes.insert(axes.begin(), part);
  Type type = scratch[result].getElementType();
  BlockArgument port = addPort(joined, type, PortMode::In, axes);
  return LoadOp::create(builder, joined.getLoc(), type, port, ValueRange(), axesMap(joined, axes));
}

/// mean = sum n_p mean_p / n, m2 = sum m2_p + n_p (mean_p - mean)^2, n_p points in part p.
void Splitter::joinWelford(OpBuilder &builder, WelfordOp op, unsigned part) {
  Location loc = op.getLoc();
  Type type = op.getMean().getType();
  Value mean = loadPart(builder, 0, part);
  Value m2 = loadPart(builder, 1, part);
  std::array<int64_t, 1> over = {part};
  auto sum = [&](Value value) -> Value {
    return ReduceOp::create(builder, loc, type, ReduceKind::Add, value, over, ReduceOrder::Free,
                            false);
  };
  auto mul = [&](Value a, Value b) -> Value {
    return arith::MulFOp::create(builder, loc, a, b);
  };
  int64_t others = 1;
  std::optional<SmallVector<int64_t>> extents = original.getStaticExtents();
  for (int64_t axis : op.getAxes()) {
    others *= axis == split.axis ? 1 : (*extents)[axis];
  }
  // Only the last part is shorter.
  MLIRContext *context = builder.getContext();
  AffineExpr whole =
      getAffineConstantExpr(split.parts - 2, context) - getAffineDimExpr(part, context);
  auto set = IntegerSet::get(joined.getNumAxes(), joined.getNumDims(), {whole}, {false});
  int64_t rest = split.extent - (split.parts - 1) * split.length;
  Value full = makeConstant(builder, loc, type, static_cast<double>(split.length * others));
  Value last = makeConstant(builder, loc, type, static_cast<double>(rest * others));
  Value count = WhereOp::create(builder, loc, type, full, last, set);
  Value all = makeConstant(builder, loc, type, static_cast<double>(split.extent * others));
  Value joinedMean = arith::DivFOp::create(builder, loc, sum(mul(count, mean)), all);
  Value deviation = arith::SubFOp::create(builder, loc, mean, joinedMean);
  Value spread = mul(count, mul(deviation, deviation));
  op.getMean().replaceAllUsesWith(joinedMean);
  op.getM2().replaceAllUsesWith(sum(arith::AddFOp::create(builder, loc, m2, spread)));
}

/// The states of the parts are folded by the merge.
void Splitter::joinFold(OpBuilder &builder, FoldOp op, unsigned part) {
  SmallVector<Value> states;
  for (unsigned state = 0; state < op.getNumStates(); ++state) {
    states.push_back(loadPart(builder, state, part));
  }
  std::array<int64_t, 1> over = {part};
  auto merged = FoldOp::create(builder, op.getLoc(), op.getResultTypes(), states, op.getInits(),
                               over, op.getOrder());
  IRMapping mapping;
  op.getMerge().cloneInto(&merged.getStep(), mapping);
  mapping.clear();
  op.getMerge().cloneInto(&merged.getMerge(), mapping);
  op->replaceAllUsesWith(merged->getResults());
}

/// Replaces the op by its combination over the parts.
void Splitter::join(OpBuilder &builder, Operation &op, unsigned part) {
  std::array<int64_t, 1> over = {part};
  if (auto welford = dyn_cast<WelfordOp>(op)) {
    joinWelford(builder, welford, part);
    return;
  }
  if (auto fold = dyn_cast<FoldOp>(op)) {
    joinFold(builder, fold, part);
    return;
  }
  if (auto expsum = dyn_cast<ExpsumOp>(op)) {
    SmallVector<Value> loaded;
    for (unsigned result = 0; result < op.getNumResults(); ++result) {
      loaded.push_back(loadPart(builder, result, part));
    }
    ArrayRef<Value> sums = ArrayRef<Value>(loaded).drop_front();
    SmallVector<bool> units(sums.size(), false);
    SmallVector<Type> types(sums.size(), expsum.getMaximum().getType());
    auto merged = ExpsumOp::create(builder, op.getLoc(), types.front(), types, loaded.front(), sums,
                                   over, units);
    op.replaceAllUsesWith(merged->getResults());
    return;
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  Value merged = ReduceOp::create(builder, op.getLoc(), op.getResult(0).getType(),
                                  reduce ? reduce.getKind() : ReduceKind::Add,
                                  loadPart(builder, 0, part), over, ReduceOrder::Free, false);
  op.getResult(0).replaceAllUsesWith(merged);
}

/// The second kernel: the original with the op over the parts.
void Splitter::makeJoin() {
  joined = copyKernel(original, (original.getSymName() + "_join").str());
  joined->moveAfter(parts);
  joined.removeScheduleAttr();
  Operation &op = opAt(joined, split.op);
  unsigned part = addAxis(joined, "part", getAffineConstantExpr(split.parts, joined.getContext()));
  OpBuilder builder(&op);
  join(builder, op, part);
  op.erase();
  dropUnusedOps(joined);
  joinPorts = dropUnusedPorts(joined);
  dropUnusedAxes(joined);
}

ProgramOp Splitter::makeProgram() {
  MLIRContext *context = original.getContext();
  SmallVector<PortType> memory;
  for (PortType type : scratch) {
    memory.push_back(PortType::get(context, type.getElementType(), type.getShape(),
                                   PortMode::Scratch, AffineMap(), 0));
  }
  ProgramOp program = wrapKernel(original, "whole", memory);
  program->moveAfter(joined);
  auto whole = cast<LaunchOp>(program.getBlock().front());
  OpBuilder builder(whole);
  auto launch = [&](KernelOp kernel, ArrayRef<unsigned> kept) {
    SmallVector<Value> operands;
    for (unsigned port : kept) {
      operands.push_back(program.getPort(port)); // scratch follows the original's ports
    }
    LaunchOp::create(builder, whole.getLoc(), kernel.getSymName(), operands, whole.getDimNames(),
                     whole.getDims());
  };
  launch(parts, partsPorts);
  launch(joined, joinPorts);
  whole.erase();
  original.erase();
  return program;
}

ProgramOp Splitter::run() {
  makeParts();
  makeJoin();
  return makeProgram();
}

//===- What can be split ---------------------------------------------------------------------===//

static bool canSplit(KernelOp kernel, Operation &op, unsigned axis) {
  auto reduce = dyn_cast<ReduceOp>(op);
  auto fold = dyn_cast<FoldOp>(op);
  if (!isa<ReduceOp, ContractOp, ExpsumOp, WelfordOp, FoldOp>(op) ||
      (reduce && (reduce.isArg() || reduce.getOrder() == ReduceOrder::Serial)) ||
      (fold && fold.getOrder() == ReduceOrder::Serial)) {
    return false;
  }
  AxisSets sets(kernel);
  if (llvm::none_of(op.getOperands(), [&](Value v) { return contains(sets[v], axis); })) {
    return false; // equal values: their number matters, not the parts
  }
  // Each result gets a scratch port, whose shape is made of plain bounds.
  for (Value result : op.getResults()) {
    if (result.getType().isInteger(1)) {
      return false; // no port has such elements
    }
    for (unsigned resultAxis : axesOf(sets[result])) {
      if (axesIn(kernel.getAxisBounds().getResult(resultAxis), kernel.getNumAxes())) {
        return false;
      }
    }
  }
  // Another op along the axis before this one would need all of it.
  for (Operation &other : kernel.getBlock()) {
    auto scan = dyn_cast<ScanOp>(other);
    AxisSet along = scan ? axisBit(scan.getAxis()) : combinedAxes(other);
    if (&other != &op && contains(along, axis) &&
        llvm::any_of(op.getOperands(), [&](Value operand) {
          return llvm::any_of(other.getResults(),
                              [&](Value result) { return dependsOn(operand, result); });
        })) {
      return false;
    }
  }
  return true;
}

FailureOr<ProgramOp> splitReduction(KernelOp kernel, int64_t parts) {
  std::optional<SmallVector<int64_t>> extents = kernel.getBoxExtents();
  if (!extents || kernel.getDomain() || !kernel.getStaticExtents()) {
    return failure();
  }
  std::optional<Split> best;
  for (auto [position, op] : llvm::enumerate(kernel.getBlock())) {
    for (unsigned axis : axesOf(combinedAxes(op))) {
      int64_t extent = (*extents)[axis];
      if (extent >= 2 && (!best || extent > best->extent) && canSplit(kernel, op, axis)) {
        best = Split{static_cast<unsigned>(position), axis, extent, 0, 0};
      }
    }
  }
  if (!best || parts < 2) {
    return failure();
  }
  best->length = llvm::divideCeil(best->extent, std::min(parts, best->extent));
  best->parts = llvm::divideCeil(best->extent, best->length);
  if (best->parts < 2) {
    return failure();
  }
  return Splitter(kernel, *best).run();
}

namespace {

struct SplitReductionPass : impl::SplitReductionPassBase<SplitReductionPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      if (!isLaunched(kernel)) {
        // A kernel without a reduction that can be split stays as it is.
        (void)splitReduction(kernel, parts);
      }
    }
  }
};

} // namespace

} // namespace zyxc
