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
#include "passes/kernel/schedule/TakenFields.h"
#include "passes/lower/matrix/FmaContract.h"
#include "passes/lower/matrix/MmaUnit.h"
#include "passes/lower/matrix/PackLaunch.h"
#include "passes/lower/matrix/WgmmaUnit.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// The unit that computes a kernel: the target's best one, or what the schedule asks for; nothing
/// if the target does not have that.
static std::optional<MatrixUnit> unitOf(KernelOp kernel, const Target &target) {
  auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule) {
    return target.matrixUnit;
  }
  std::optional<MatrixUnit> unit;
  switch (schedule.getFields().unit) {
  case MmaUnit::Fma: unit = MatrixUnit::None; break;
  case MmaUnit::Mma:
    if (target.matrixUnit != MatrixUnit::None) {
      unit = MatrixUnit::Mma;
    }
    break;
  case MmaUnit::Wgmma:
    if (target.matrixUnit == MatrixUnit::Wgmma) {
      unit = MatrixUnit::Wgmma;
    }
    break;
  case MmaUnit::Coop: break;
  }
  return unit;
}

/// Smaller products are not worth packing their factors first.
static constexpr int64_t leastPackedWork = int64_t(1) << 23; ///< multiply-adds
static constexpr int64_t mostScratchBytes = int64_t(1) << 31;

namespace {

/// A product on a matrix unit, and what of it must be packed before.
struct PackedProduct {
  MatrixProblem problem;
  MatrixPacking packing;
};

} // namespace

/// The product of a kernel, if a unit of the target should compute it.
static std::unique_ptr<PackedProduct> findProduct(const AccessTable &table, MatrixUnit unit) {
  std::optional<MatrixProblem> problem;
  if (unit != MatrixUnit::None) {
    problem = MatrixProblem::find(table);
  }
  if (!problem) {
    return nullptr;
  }
  auto product = std::make_unique<PackedProduct>();
  product->problem = *problem;
  product->packing = MatrixPacking::plan(table, product->problem, isTmaSource);
  const MatrixProblem &p = product->problem;
  bool isWorthIt = product->packing.operands.empty() ||
                   zyxk::KernelOp(table.kernel()).getScheduleAttr() ||
                   p.batches * p.m * p.n >= leastPackedWork / p.depth;
  bool isPossible = product->packing.scratchBytes <= mostScratchBytes && isTmaSource(*p.a.source) &&
                    isTmaSource(*p.b.source);
  return isWorthIt && isPossible ? std::move(product) : nullptr;
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
  Attribute schedule = kernel.getScheduleAttr();
  if ((schedule && !isa<MmaScheduleAttr>(schedule)) || target.kind == TargetKind::Host) {
    return false;
  }
  std::optional<AccessTable> table = tableOf(kernel);
  return table && ContractAxes::find(*table).op;
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

/// The launches of a product on a matrix unit.
static LogicalResult emitProduct(KernelOp kernel, const AccessTable &table,
                                 const PackedProduct &product, MatrixUnit unit,
                                 const Target &target) {
  const MatrixProblem &problem = product.problem;
  FailureOr<MatrixPlan> plan = planMatrix(kernel, problem, target, unit);
  if (failed(plan)) {
    return failure();
  }
  GpuModule module(kernel, target, product.packing.scratchBytes);
  if (!product.packing.operands.empty()) {
    addPackLaunch(module, table, problem, product.packing);
  }
  GpuLaunch launch = module.addLaunch({plan->workgroups, 1, 1}, plan->threads);
  OpBuilder builder(kernel.getContext());
  if (unit == MatrixUnit::Wgmma) {
    auto mapOf = [&](const MatrixOperand &operand, int64_t tileRows) {
      return tensorMapOf(builder, problem, operand, table, *operand.source, tileRows);
    };
    addTensorMaps(launch, {mapOf(problem.a, plan->tileM), mapOf(problem.b, plan->tileN)});
  }
  launch.function->setAttr(sharedBytesAttrName, builder.getI64IntegerAttr(plan->sharedBytes));
  launch.function->setAttr(minBlocksAttrName, builder.getI64IntegerAttr(1));
  MatrixFrame frame(table, problem, *plan, launch);
  if (unit == MatrixUnit::Wgmma) {
    emitWgmmaKernel(frame);
  } else {
    emitMmaKernel(frame);
  }
  frame.finish();
  kernel.erase();
  return success();
}

/// Numbers of a schedule that no unit here has are errors rather than ignored; which fields a unit
/// takes at all is a table (passes/kernel/schedule/TakenFields.cpp).
static LogicalResult checkFields(KernelOp kernel, const MmaFields &fields, MatrixUnit unit) {
  struct Check {
    bool holds;
    const char *text;
  };
  auto isOneOf = [](int64_t value, std::initializer_list<int64_t> allowed) {
    return llvm::is_contained(allowed, value);
  };
  bool isFma = unit == MatrixUnit::None;
  const Check checks[] = {
      {(fields.cta[0] == 0) == (fields.cta[1] == 0),
       "takes rows and columns of a tile, or neither"},
      {(fields.regs[0] == 0) == (fields.regs[1] == 0), "takes registers of both roles, or of none"},
      {!isFma || (isOneOf(fields.cta[0], {0, 16, 32, 64}) &&
                  isOneOf(fields.cta[1], {0, 16, 32, 64}) && isOneOf(fields.cta[2], {0, 16})),
       "by multiply-adds has tiles of 16, 32 or 64 rows and columns, and 16 of k"},
  };
  for (const Check &check : checks) {
    if (!check.holds) {
      return kernel.emitError() << "its schedule cannot be kept: a contraction " << check.text;
    }
  }
  return success();
}

LogicalResult lowerMatrix(KernelOp kernel, const Target &target) {
  std::optional<AccessTable> table = tableOf(kernel);
  ContractAxes axes = table ? ContractAxes::find(*table) : ContractAxes();
  if (!axes.op) {
    return kernel.emitError()
           << "cannot be lowered: the contraction family takes static sizes, one "
              "contract whose result is not reduced again, and plain stores over "
              "the same axes";
  }
  std::optional<MatrixUnit> unit = unitOf(kernel, target);
  if (!unit) {
    return kernel.emitError() << "its schedule asks for a unit that " << target.name
                              << " does not have";
  }
  MmaFields fields;
  if (auto schedule = dyn_cast_or_null<MmaScheduleAttr>(kernel.getScheduleAttr())) {
    fields = schedule.getFields();
  }
  if (failed(checkTakenFields(kernel, /*isGpu=*/true)) ||
      failed(checkFields(kernel, fields, *unit))) {
    return failure();
  }
  if (std::unique_ptr<PackedProduct> product = findProduct(*table, *unit)) {
    return emitProduct(kernel, *table, *product, *unit, target);
  }
  if (kernel.getScheduleAttr() && *unit != MatrixUnit::None) {
    return kernel.emitError()
           << "its schedule asks for a matrix unit, which takes factors that are "
              "both f16 or both bf16 and not empty, and sums in f32 or narrower";
  }
  lowerFmaContract(*table, axes, target, {fields.cta[0], fields.cta[1]});
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
