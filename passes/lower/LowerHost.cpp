#include "passes/lower/LowerHost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/kernel/schedule/TakenFields.h"
#include "passes/kernel/schedule/VerifySchedule.h"
#include "passes/lower/HostKernel.h"
#include "passes/lower/LegalizeBody.h"
#include "passes/lower/LoopNest.h"
#include "passes/lower/LowerCol.h"
#include "passes/lower/LowerMap.h"
#include "passes/lower/LowerMove.h"
#include "passes/lower/LowerRow.h"
#include "passes/lower/SplitTasks.h"
#include "passes/lower/contract/LowerContract.h"
#include "passes/lower/emit/LaneChoice.h"
#include "passes/lower/hostattn/HostAttention.h"
#include "passes/lower/open/LowerSlices.h"
#include "passes/lower/open/PlanSizes.h"
#include "passes/lower/routine/LowerOpaque.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Operations to combine the lanes of a reduction at its end, against one per access.
static constexpr double acrossLanesCost = 8.0;

/// Without a schedule: lanes along an axis that all stores share, or along the rows?
static bool prefersRows(AccessTable table, unsigned vectorBits) {
  table.mergeAxes();
  int64_t width = lanesFor(table, vectorBits);
  AxisSet shared = sharedAxes(table);
  AxisSet others = 0;
  double finish = 0;
  for (Operation &op : table.kernel().getBlock()) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      others |= table.domainOf(store) & ~shared;
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      others |= table.reducedBy(reduce);
      finish += acrossLanesCost * static_cast<double>(table.points(table.axesOf(reduce)));
    } else if (auto fold = dyn_cast<FoldOp>(op); fold && fold.getOrder() != ReduceOrder::Serial) {
      others |= table.reducedBy(fold);
      finish +=
          acrossLanesCost * static_cast<double>(table.points(table.axesOf(fold.getResult(0))));
    }
  }
  std::optional<unsigned> map = cheapestLane(table, shared, width);
  std::optional<unsigned> row = cheapestLane(table, others, width);
  if (!map || !row) {
    return row.has_value();
  }
  return laneCost(table, *row, width) + finish < laneCost(table, *map, width);
}

/// The rows of a scan are those that all stores, reductions and scans share.
static LogicalResult checkScans(const AccessTable &table) {
  AxisSet shared = sharedAxes(table);
  for (auto scan : table.kernel()->getRegion(0).front().getOps<ScanOp>()) {
    AxisSet rest = table.axesOf(scan.getResult()) & ~shared;
    if ((rest & ~axisBit(scan.getAxis())) != 0) {
      return scan.emitOpError()
             << "cannot be lowered: scans along several axes, or of rows that are "
                "reduced, need a kernel each";
    }
  }
  return success();
}

static LogicalResult lowerKernel(KernelOp kernel, unsigned vectorBits, bool mayMakeParts);

/// `families`: those that fit the body.
static LogicalResult otherFamily(KernelOp kernel, StringRef families) {
  if (isa_and_nonnull<ContractScheduleAttr>(kernel.getScheduleAttr()) && families.empty()) {
    return kernel.emitError() << "its schedule has tiles, which take one contract whose result is "
                                 "not reduced again, and plain stores over all of its axes; leave "
                                 "the schedule out";
  }
  return kernel.emitError() << "its schedule is of another family than its body"
                            << (families.empty() ? "" : ", which takes ") << families
                            << "; leave it out"
                            << (families.empty() ? "" : ", or name one of these");
}

/// Whether a schedule fits a body with or without contractions: that of contractions one that has
/// tiles, that of attention one with an expsum.
static bool isOfContracts(Attribute schedule, bool contracts, bool isTiled, bool isAttention) {
  if (isa_and_nonnull<ContractScheduleAttr>(schedule)) {
    return isTiled;
  }
  if (isa_and_nonnull<AttnScheduleAttr>(schedule)) {
    return contracts && isAttention;
  }
  return !schedule || !contracts;
}

/// Lowers by rows (`takesRows`: only so; scans and the factors of an inner contraction lie in rows
/// of scratch memory) or point by point.
static LogicalResult lowerRowsOrPoints(KernelOp kernel, AccessTable &table, unsigned vectorBits,
                                       bool scans, bool takesRows, StringRef families) {
  Attribute schedule = kernel.getScheduleAttr();
  if (isa_and_nonnull<ColScheduleAttr, MoveScheduleAttr>(schedule) ||
      (takesRows && isa_and_nonnull<MapScheduleAttr>(schedule)) ||
      (!scans && isa_and_nonnull<ScanScheduleAttr>(schedule))) {
    return otherFamily(kernel, families);
  }
  schedule = isa_and_nonnull<RowScheduleAttr, MapScheduleAttr>(schedule) ? schedule : Attribute();
  bool rows = schedule ? isa<RowScheduleAttr>(schedule) : prefersRows(table, vectorBits);
  if (rows || takesRows) {
    lowerRow(table, vectorBits);
  } else {
    lowerMap(table, vectorBits);
  }
  return success();
}

/// A kernel with dims that have no size: the families of plain loop nests take those, and tiles the
/// slices of a batch.
static LogicalResult lowerOpen(KernelOp kernel, unsigned vectorBits) {
  Attribute schedule = kernel.getScheduleAttr();
  if (isa_and_nonnull<ContractScheduleAttr>(schedule) && findBatchAxes(kernel)) {
    if (pointsInSlice(kernel) != 0) {
      return lowerSlices(kernel, vectorBits, [&](KernelOp slice) {
        return lowerKernel(slice, vectorBits, /*mayMakeParts=*/false);
      });
    }
    kernel.removeScheduleAttr(); // no rows or no columns: loops
    schedule = {};
  }
  if (schedule && !isa<MapScheduleAttr, RowScheduleAttr>(schedule)) {
    return kernel.emitError() << "its schedule needs dims with sizes; bind them, or leave it out";
  }
  if (failed(checkTakenFields(kernel, /*isGpu=*/false)) || failed(legalizeBody(kernel))) {
    return failure();
  }
  contractsToReductions(kernel);
  FailureOr<AccessTable> table = AccessTable::build(kernel, {.scans = true, .dims = true});
  if (failed(table)) {
    return failure();
  }
  bool scans = !kernel.getBlock().getOps<ScanOp>().empty();
  if (scans && failed(checkSizedScans(*table))) {
    return failure();
  }
  bool isSized =
      !sizedScansBelow(*table, llvm::to_vector(kernel.getBlock().getOps<StoreOp>())).empty();
  if (scans && !isSized && failed(checkScans(*table))) {
    return failure();
  }
  return lowerRowsOrPoints(kernel, *table, vectorBits, scans, scans, "#zyxk.map, #zyxk.row");
}

void keepSumOrder(KernelOp kernel) {
  bool sums = false;
  for (Operation &op : kernel.getBlock()) {
    if (isa<ContractOp, ExpsumOp>(op)) {
      return;
    }
    auto rounds = [&](ReduceKind kind) {
      return isa<FloatType>(op.getResult(0).getType()) &&
             (kind == ReduceKind::Add || kind == ReduceKind::Mul);
    };
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      sums |= rounds(reduce.getKind());
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      sums |= rounds(scan.getKind());
    }
  }
  if (sums) {
    RowFields oneLane;
    oneLane.vec = oneLane.inflight = 1;
    kernel.setScheduleAttr(RowScheduleAttr::get(kernel.getContext(), oneLane));
  }
}

LogicalResult lowerKernelForHost(KernelOp kernel, unsigned vectorBits) {
  if (opaqueOf(kernel)) {
    return lowerOpaque(kernel);
  }
  if (kernel.getNumDims() != 0) {
    return lowerOpen(kernel, vectorBits);
  }
  return lowerKernel(kernel, vectorBits, /*mayMakeParts=*/true);
}

static LogicalResult lowerKernel(KernelOp kernel, unsigned vectorBits, bool mayMakeParts) {
  if (storesNothing(kernel)) {
    OpBuilder builder(kernel);
    HostKernel host = HostKernel::create(builder, kernel, /*numTasks=*/0, /*scratchBytes=*/0);
    builder.setInsertionPointToEnd(&host.function.getBody().front());
    func::ReturnOp::create(builder, kernel.getLoc());
    kernel.erase();
    return success();
  }
  bool isAttention = !kernel.getBlock().getOps<ExpsumOp>().empty();
  std::string families = fittingFamilies(kernel, /*isGpu=*/false);
  if (failed(checkTakenFields(kernel, /*isGpu=*/false))) {
    return failure();
  }
  if (lowerHostAttention(kernel, vectorBits)) {
    return success();
  }
  if (failed(legalizeBody(kernel))) {
    return failure();
  }
  Attribute schedule = kernel.getScheduleAttr();
  if (!isa_and_nonnull<ContractScheduleAttr, AttnScheduleAttr>(schedule) &&
      isVectorProduct(kernel) && (schedule || !repeatsFunctions(kernel))) {
    contractsToReductions(kernel);
  }
  bool contracts = !kernel.getBlock().getOps<ContractOp>().empty();
  bool isTiled = contracts && isLowerableContract(kernel);
  if (!isOfContracts(schedule, contracts, isTiled, isAttention)) {
    return otherFamily(kernel, families);
  }
  if (isTiled) {
    return lowerContract(kernel, vectorBits);
  }
  contractsToReductions(kernel);
  FailureOr<AccessTable> table = AccessTable::build(kernel, {.scans = true});
  if (failed(table)) {
    return failure();
  }
  bool scans = !kernel.getBlock().getOps<ScanOp>().empty();
  if (scans && failed(checkScans(*table))) {
    return failure();
  }
  if (mayMakeParts && (!schedule || isa<ColScheduleAttr>(schedule))) {
    if (int64_t parts = partsForTasks(*table, vectorBits)) {
      bool isSplit = false;
      auto lowerPart = [&](KernelOp part) {
        return lowerKernel(part, vectorBits, /*mayMakeParts=*/false);
      };
      LogicalResult lowered = lowerInParts(kernel, parts, lowerPart, isSplit);
      if (failed(lowered) || isSplit) {
        return lowered;
      }
    }
  }
  if (!schedule || isa<ColScheduleAttr>(schedule)) {
    if (isColumns(*table, vectorBits)) {
      lowerCol(*table, vectorBits);
      return success();
    }
  }
  if (!schedule || isa<MoveScheduleAttr>(schedule)) {
    if (isMove(*table, vectorBits)) {
      lowerMove(*table, vectorBits);
      return success();
    }
  }
  return lowerRowsOrPoints(kernel, *table, vectorBits, scans, scans || contracts, families);
}

namespace {

struct LowerHostPass : PassWrapper<LowerHostPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerHostPass)

  LowerHostPass() = default;
  LowerHostPass(const LowerHostPass &other) : PassWrapper(other) { vectorBits = other.vectorBits; }

  StringRef getArgument() const override { return "zyxk-lower-host"; }
  StringRef getDescription() const override {
    return "Lower kernels to scf, vector and memref for the host";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
  }
  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels) {
      if (failed(lowerKernelForHost(kernel, vectorBits))) {
        signalPassFailure();
        return;
      }
    }
  }

  Option<unsigned> vectorBits{*this, "vector-bits", llvm::cl::desc("Width of a vector in bits"),
                              llvm::cl::init(512)};
};

} // namespace

std::unique_ptr<Pass> createLowerHostPass(unsigned vectorBits) {
  auto pass = std::make_unique<LowerHostPass>();
  pass->vectorBits = vectorBits;
  return pass;
}

void registerLowerHostPass() {
  registerPass([] { return createLowerHostPass(); });
}

} // namespace zyxc
