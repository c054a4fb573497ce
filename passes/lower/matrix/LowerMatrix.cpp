#include "passes/lower/matrix/LowerMatrix.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/lower/matrix/MmaUnit.h"
#include "passes/lower/matrix/WgmmaUnit.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// The unit that computes a kernel: the target's best one, or what the schedule asks for.
static MatrixUnit unitOf(KernelOp kernel, const Target &target) {
  auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule) {
    return kernel.getScheduleAttr() ? MatrixUnit::None : target.matrixUnit;
  }
  switch (schedule.getFields().unit) {
  case MmaUnit::Mma:
    return target.matrixUnit == MatrixUnit::None ? MatrixUnit::None : MatrixUnit::Mma;
  case MmaUnit::Wgmma:
    return target.matrixUnit == MatrixUnit::Wgmma ? MatrixUnit::Wgmma : MatrixUnit::None;
  case MmaUnit::Fma:
  case MmaUnit::Coop: break;
  }
  return MatrixUnit::None;
}

/// The product of a kernel, if a unit of the target can compute it.
static std::optional<MatrixProblem> problemOf(const AccessTable &table, MatrixUnit unit) {
  std::optional<MatrixProblem> problem;
  if (unit != MatrixUnit::None) {
    problem = MatrixProblem::find(table);
  }
  if (!problem || !problem->a.source || !problem->b.source || !isTmaSource(*problem->a.source) ||
      !isTmaSource(*problem->b.source)) {
    return std::nullopt;
  }
  return problem;
}

/// The table with merged axes; nothing, and no diagnostic, if sizes are not static.
static std::optional<AccessTable> tableOf(KernelOp kernel) {
  ScopedDiagnosticHandler silent(kernel.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<AccessTable> table = AccessTable::build(kernel);
  if (failed(table)) {
    return std::nullopt;
  }
  table->mergeAxes();
  return *table;
}

bool isLowerableMatrix(KernelOp kernel, const Target &target) {
  std::optional<AccessTable> table = tableOf(kernel);
  return table && problemOf(*table, unitOf(kernel, target));
}

/// Adds an argument for each tensor map, and describes them.
static void addTensorMaps(GpuLaunch &launch, ArrayRef<Attribute> maps) {
  MLIRContext *context = launch.function.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  for (size_t i = 0; i < maps.size(); ++i) {
    (void)launch.function.insertArgument(launch.function.getNumArguments(), pointer,
                                         DictionaryAttr::get(context), launch.function.getLoc());
  }
  launch.function->setAttr(tensorMapsAttrName, ArrayAttr::get(context, maps));
}

LogicalResult lowerMatrix(KernelOp kernel, const Target &target) {
  std::optional<AccessTable> table = tableOf(kernel);
  MatrixUnit unit = unitOf(kernel, target);
  std::optional<MatrixProblem> problem = table ? problemOf(*table, unit) : std::nullopt;
  if (!problem) {
    return kernel.emitError() << "is not a contraction that the matrix unit of " << target.name
                              << " can compute";
  }
  FailureOr<MatrixPlan> plan = planMatrix(kernel, *problem, target, unit);
  if (failed(plan)) {
    return failure();
  }
  GpuModule module(kernel, target);
  GpuLaunch launch = module.addLaunch({plan->workgroups, 1, 1}, plan->threads);
  OpBuilder builder(kernel.getContext());
  if (unit == MatrixUnit::Wgmma) {
    auto mapOf = [&](const MatrixOperand &operand, int64_t tileRows) {
      return tensorMapOf(builder, *problem, operand, *table, *operand.source, tileRows);
    };
    addTensorMaps(launch, {mapOf(problem->a, plan->tileM), mapOf(problem->b, plan->tileN)});
  }
  launch.function->setAttr(sharedBytesAttrName, builder.getI64IntegerAttr(plan->sharedBytes));
  launch.function->setAttr(minBlocksAttrName, builder.getI64IntegerAttr(1));
  MatrixFrame frame(*table, *problem, *plan, launch);
  if (unit == MatrixUnit::Wgmma) {
    emitWgmmaKernel(frame);
  } else {
    emitMmaKernel(frame);
  }
  frame.finish();
  kernel.erase();
  return success();
}

namespace {

struct LowerMatrixPass : PassWrapper<LowerMatrixPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMatrixPass)

  LowerMatrixPass() = default;
  LowerMatrixPass(const LowerMatrixPass &other) : PassWrapper(other) {
    targetName = other.targetName;
  }

  StringRef getArgument() const override { return "zyxk-lower-matrix"; }
  StringRef getDescription() const override {
    return "Lower contractions to the matrix units of a GPU";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() override {
    std::optional<Target> target = findTarget(targetName.getValue());
    if (!target) {
      getOperation().emitError() << "no target '" << targetName.getValue()
                                 << "'; there are: " << targetNames();
      signalPassFailure();
      return;
    }
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels) {
      if (isLowerableMatrix(kernel, *target) && failed(lowerMatrix(kernel, *target))) {
        signalPassFailure();
        return;
      }
    }
  }

  Option<std::string> targetName{*this, "target", llvm::cl::desc("Target, such as sm_90a"),
                                 llvm::cl::init("sm_90a")};
};

} // namespace

std::unique_ptr<Pass> createLowerMatrixPass(StringRef target) {
  auto pass = std::make_unique<LowerMatrixPass>();
  pass->targetName = target.str();
  return pass;
}

void registerLowerMatrixPass() {
  registerPass([] { return createLowerMatrixPass(); });
}

} // namespace zyxc
