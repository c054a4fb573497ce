#include "passes/lower/gpu/LowerGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/schedule/TakenFields.h"
#include "passes/kernel/schedule/VerifySchedule.h"
#include "passes/lower/LegalizeBody.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/attention/LowerAttention.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/gpu/GpuFamilies.h"
#include "passes/lower/gpu/IndexWidth.h"
#include "passes/lower/gpu/ThreadShape.h"
#include "passes/lower/matrix/LowerMatrix.h"
#include "passes/lower/routine/ExpandRoutine.h"
#include "passes/lower/routine/LowerOpaque.h"
#include "passes/lower/tile/GpuFunction.h"
#include "passes/lower/tile/GpuLaunch.h"
#include "passes/lower/tile/TeamNest.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// A reduction over at most this many points is left to one thread: windows of pooling.
static constexpr int64_t maxWindow = 64;

namespace {

enum class Family : uint8_t { Map, Row, Col, Block, Move };

} // namespace

/// Points of the largest reduction.
static int64_t longestReduction(const AccessTable &table) {
  int64_t points = 0;
  for (Operation &op : table.kernel().getBlock()) {
    points = runsOverTeam(op) ? std::max(points, table.points(table.reducedBy(&op))) : points;
  }
  return points;
}

/// Whether a reduction reads a port that the kernel stores to. Where each thread reduces for its
/// own element, one would read what another has stored; a team that reduces for all of them stores
/// after its barrier.
static bool reducesInPlace(const AccessTable &table) {
  Block &block = table.kernel().getBlock();
  return llvm::any_of(block.getOps<LoadOp>(), [&](LoadOp load) {
    auto reads = [&](Value operand) {
      return dependsOn(operand, load.getResult());
    };
    return cast<PortType>(load.getPort().getType()).getMode() == PortMode::InOut &&
           llvm::any_of(block, [&](Operation &op) {
             return runsOverTeam(op) && llvm::any_of(op.getOperands(), reads);
           });
  });
}

static Family familyOf(AccessTable table, const Target &target) {
  table.mergeAxes();
  Block &block = table.kernel().getBlock();
  bool combines = llvm::any_of(block.getOps<StoreOp>(),
                               [&](StoreOp store) { return serialAxes(table, store) != 0; });
  if (combines || llvm::none_of(block, runsOverTeam)) {
    // What goes along rows in order is done once a row, before what runs over the rest of it.
    bool storesRows = llvm::any_of(block.getOps<StoreOp>(), [&](StoreOp store) {
      return (table.domainOf(store) & ~sharedAxes(table)) != 0;
    });
    bool folds = !block.getOps<FoldOp>().empty();
    return folds && storesRows && !combines ? Family::Row
           : isMove(table)                  ? Family::Move
                                            : Family::Map;
  }
  int64_t width = lanesFor(table, target.vectorBits);
  AxisSet shared = sharedAxes(table);
  AxisSet others = 0;
  for (Operation &op : block) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      others |= table.domainOf(store) & ~shared;
    } else if (runsOverTeam(op)) {
      others |= table.reducedBy(&op);
    }
  }
  std::optional<unsigned> across = cheapestLane(table, shared, width);
  std::optional<unsigned> along = cheapestLane(table, others & ~shared, width);
  if (along && (!across || laneCost(table, *along, width) < laneCost(table, *across, width))) {
    return Family::Row;
  }
  bool isWindow = longestReduction(table) <= maxWindow && !reducesInPlace(table);
  return isWindow ? Family::Map : Family::Col;
}

/// The family that a schedule names; nothing if it names none that is lowered here.
static std::optional<Family> familyOfSchedule(Attribute schedule) {
  if (isa<MapScheduleAttr>(schedule)) {
    return Family::Map;
  }
  if (isa<RowScheduleAttr>(schedule)) {
    return Family::Row;
  }
  if (isa<ColScheduleAttr>(schedule)) {
    return Family::Col;
  }
  if (isa<BlockScheduleAttr>(schedule)) {
    return Family::Block;
  }
  if (isa<MoveScheduleAttr>(schedule)) {
    return Family::Move;
  }
  return std::nullopt;
}

static FailureOr<AccessTable> buildTable(KernelOp kernel) {
  return AccessTable::build(kernel, {.scans = true});
}

/// `families`: those that fit the body.
static LogicalResult otherFamily(KernelOp kernel, StringRef families) {
  return kernel.emitError() << "its schedule is of another family than its body"
                            << (families.empty() ? "" : ", which takes ") << families
                            << "; leave it out"
                            << (families.empty() ? "" : ", or name one of these");
}

/// A body on plain threads: the family that the schedule names, or the one that suits it.
static LogicalResult lowerByFamily(KernelOp kernel, const Target &target) {
  std::string families = fittingFamilies(kernel, /*isGpu=*/true);
  if (failed(legalizeBody(kernel))) {
    return failure();
  }
  FailureOr<AccessTable> table = buildTable(kernel);
  if (failed(table)) {
    return failure();
  }
  Block &block = kernel.getBlock();
  if (!block.getOps<ContractOp>().empty()) {
    // A vector's product, or one that is a part of the body: products and sums, of another family.
    contractsToReductions(kernel);
    table = buildTable(kernel);
  }
  if (!block.getOps<ScanOp>().empty()) {
    if (failed(checkScan(*table))) {
      return failure();
    }
    if (kernel.getSchedule() && !isa<ScanScheduleAttr>(*kernel.getSchedule())) {
      return otherFamily(kernel, families);
    }
    lowerGpuScan(*table, target);
    return success();
  }
  std::optional<Family> family;
  if (Attribute schedule = kernel.getScheduleAttr()) {
    family = familyOfSchedule(schedule);
    if (!family) {
      return otherFamily(kernel, families);
    }
  }
  if (family == Family::Move && !isMove(*table)) {
    return kernel.emitError() << "is no move: its loads and stores run along the same axis";
  }
  if (family == Family::Map && reducesInPlace(*table)) {
    return kernel.emitError()
           << "its schedule gives each element a thread, which would reduce over "
              "what others have stored to the same port; name #zyxk.row or "
              "#zyxk.col, or store to another port";
  }
  switch (family ? *family : familyOf(*table, target)) {
  case Family::Map: lowerGpuMap(*table, target); break;
  case Family::Row: return lowerGpuRow(*table, target);
  case Family::Col: lowerGpuCol(*table, target); break;
  case Family::Block: return lowerGpuBlock(*table, target);
  case Family::Move: lowerGpuMove(*table, target); break;
  }
  return success();
}

LogicalResult lowerKernelForGpu(KernelOp kernel, const Target &target) {
  if (kernel.getNumDims() == 0 && opaqueOf(kernel)) {
    FailureOr<KernelOp> expanded = expandRoutine(kernel);
    if (failed(expanded)) {
      return failure();
    }
    kernel = *expanded;
  }
  if (kernel.getNumDims() == 0 && storesNothing(kernel)) {
    GpuModule(kernel, target).addLaunch(/*workgroups=*/0, target.subgroupSize);
    kernel.erase();
    return success();
  }
  if (failed(checkTakenFields(kernel, /*isGpu=*/true))) {
    return failure();
  }
  bool isWide = hasWideCoordinates(kernel);
  if (isWide && isa_and_nonnull<MmaScheduleAttr, AttnScheduleAttr>(kernel.getScheduleAttr())) {
    return kernel.emitError()
           << "has coordinates that need 64 bits, which tiles of a product or of "
              "attention do not take; leave the schedule out";
  }
  if (!isWide && isLowerableAttention(kernel, target)) {
    return lowerAttention(kernel, target);
  }
  bool isTiled = kernel.getSchedule() || !isVectorProduct(kernel);
  if (!isWide && isTiled && isLowerableMatrix(kernel, target)) {
    return lowerMatrix(kernel, target);
  }
  if (isWide || hasWideCounts(kernel)) {
    kernel->setAttr(wideIndexAttrName, UnitAttr::get(kernel.getContext()));
  }
  return lowerByFamily(kernel, target);
}

namespace {

struct LowerGpuPass : PassWrapper<LowerGpuPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerGpuPass)

  LowerGpuPass() = default;
  LowerGpuPass(const LowerGpuPass &other) : PassWrapper(other) { target = other.target; }

  StringRef getArgument() const override { return "zyxk-lower-gpu"; }
  StringRef getDescription() const override {
    return "Lower kernels to gpu functions, the same for PTX and SPIR-V";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override {
    std::optional<Target> machine = findTarget(target);
    if (!machine || machine->kind == TargetKind::Host) {
      getOperation().emitError() << "'" << target << "' is no GPU target; known are "
                                 << targetNames();
      signalPassFailure();
      return;
    }
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels) {
      if (failed(lowerKernelForGpu(kernel, *machine))) {
        signalPassFailure();
        return;
      }
    }
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("Name of the GPU target"),
                             llvm::cl::init("sm_90a")};
};

} // namespace

std::unique_ptr<Pass> createLowerGpuPass(StringRef target) {
  auto pass = std::make_unique<LowerGpuPass>();
  pass->target = target.str();
  return pass;
}

void registerLowerGpuPass() {
  registerPass([] { return createLowerGpuPass(); });
}

} // namespace zyxc
