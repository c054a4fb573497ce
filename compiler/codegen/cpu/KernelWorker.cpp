#include "compiler/codegen/cpu/KernelWorker.h"
#include "dialects/zyxk/IR/affine/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/LegalizeBody.h"
#include "passes/lower/LowerHost.h"
#include "passes/pipelines/HostPipeline.h"
#include "runtime/support/Stopwatch.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace zyxc {

/// Kernels arrive as vector code that is already in its final shape, so LLVM only cleans up: this
/// gives the same code as O3 in a tenth of the time.
static constexpr llvm::StringLiteral lightPipeline =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
    "early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";

namespace {

/// Leaves out passes of LLVM's back end that kernels do not need.
class LightBackEnd : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef pass, StringRef unit) const override {
    // Rewrites induction variables: a fifth of the back end's time. Addresses of kernels have their
    // final form, with what does not change in a loop outside of it.
    static constexpr StringRef skipped[] = {"Loop Strength Reduction",
                                            "Canonicalize Freeze Instructions in Loops"};
    return !llvm::is_contained(skipped, pass);
  }
};

} // namespace

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect, zyxk::ZyxkDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
}

KernelWorker::KernelWorker(const HostTarget &target, std::unique_ptr<llvm::TargetMachine> machine)
    : target(target), machine(std::move(machine)), context(makeContext()),
      lowering(context.get(), ModuleOp::getOperationName()),
      conversion(context.get(), ModuleOp::getOperationName()) {
  lowering.addPass(createLowerHostPass(target.vectorBits));
  buildHostPipeline(conversion, {target.vectorBits, target.exact});
  for (PassManager *passes : {&lowering, &conversion}) {
    passes->enableVerifier(false);
  }
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      diagnostics += diagnostics.empty() ? "" : "; ";
      diagnostics += diagnostic.str();
    }
    return success();
  });
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

Expected<KernelObject> KernelWorker::compile(StringRef text) {
  diagnostics.clear();
  OwningOpRef<ModuleOp> module;
  {
    Stopwatch watch(times.parse);
    module = parseSourceString<ModuleOp>(text, ParserConfig(context.get()));
  }
  if (!module) {
    return makeError(ErrorCode::Internal, "kernel does not parse: {}", diagnostics);
  }
  KernelTexts texts;
  ZYXC_RETURN_IF_ERROR(lower(*module));
  if (keepTexts) {
    texts.mlir = textOf(*module);
  }
  ZYXC_RETURN_IF_ERROR(convert(*module));
  ZYXC_ASSIGN(KernelObject kernel, describe(*module));
  LightBackEnd gate;
  llvm::LLVMContext llvmContext;
  ZYXC_ASSIGN(auto code, translate(*module, llvmContext));
  ZYXC_RETURN_IF_ERROR(optimize(*code));
  llvmContext.setOptPassGate(gate);
  if (keepTexts) {
    texts.llvm = textOf(*code);
    ZYXC_ASSIGN(texts.assembly, emitAssembly(*code));
    kernel.texts = std::move(texts);
  }
  kernel.numInstructions = code->getInstructionCount();
  ZYXC_ASSIGN(std::string object, emit(*code));
  kernel.object = std::make_shared<const std::string>(std::move(object));
  return kernel;
}

Status KernelWorker::lower(ModuleOp module) {
  Stopwatch watch(times.lower);
  for (auto kernel : module.getOps<zyxk::KernelOp>()) {
    expandForLowering(kernel);
    if (target.exact) {
      keepSumOrder(kernel);
    } else {
      hoistSoftmaxReciprocals(kernel);
    }
  }
  if (failed(lowering.run(module))) {
    return makeError(ErrorCode::Internal, "lowering failed: {}", diagnostics);
  }
  return Status::ok();
}

Status KernelWorker::convert(ModuleOp module) {
  Stopwatch watch(times.convert);
  if (failed(conversion.run(module))) {
    return makeError(ErrorCode::Internal, "conversion to LLVM failed: {}", diagnostics);
  }
  return Status::ok();
}

static int64_t integerAttr(Operation *op, StringRef name, int64_t missing) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : missing;
}

/// A number of tasks: a size over "d0", "d1", ..
static int64_t tasksOf(Operation *op) {
  auto map = op->getAttrOfType<AffineMapAttr>(numTasksAttrName);
  return map ? zyxk::sizeOf(map.getValue().getResult(0)) : integerAttr(op, numTasksAttrName, 1);
}

Expected<KernelObject> KernelWorker::describe(ModuleOp module) const {
  KernelObject kernel;
  uint64_t joinScratch = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(numTasksAttrName)) {
      kernel.callsRoutine |= function.isExternal();
      continue;
    }
    std::string symbol = function.getSymName().str();
    int64_t numTasks = tasksOf(function);
    if (!dim::isValid(numTasks)) {
      return makeError(ErrorCode::Internal, "{}: its number of tasks is no size", symbol);
    }
    if (auto port = function->getAttrOfType<IntegerAttr>(packsPortAttrName)) {
      kernel.packs.push_back({symbol, static_cast<uint32_t>(port.getInt()),
                              static_cast<uint64_t>(integerAttr(function, packedBytesAttrName, 0)),
                              numTasks});
    } else if (function->hasAttr(joinsAttrName)) {
      kernel.joinSymbol = symbol;
      kernel.joinTasks = numTasks;
      joinScratch = integerAttr(function, scratchBytesAttrName, 0);
    } else if (!kernel.symbol.empty()) {
      return makeError(ErrorCode::Internal, "kernels {} and {} in one module", kernel.symbol,
                       symbol);
    } else {
      kernel.symbol = symbol;
      kernel.numTasks = numTasks;
      kernel.numDims = static_cast<uint32_t>(integerAttr(function, dimsAttrName, 0));
      kernel.scratchBytes = integerAttr(function, scratchBytesAttrName, 0);
      kernel.sharedBytes = integerAttr(function, partsBytesAttrName, 0);
    }
  }
  kernel.scratchBytes = std::max(kernel.scratchBytes, joinScratch);
  if (kernel.symbol.empty()) {
    return makeError(ErrorCode::Internal, "no kernel in the module");
  }
  return kernel;
}

Expected<std::unique_ptr<llvm::Module>> KernelWorker::translate(ModuleOp module,
                                                                llvm::LLVMContext &llvmContext) {
  Stopwatch watch(times.translate);
  auto code = translateModuleToLLVMIR(module, llvmContext, "kernel");
  if (!code) {
    return makeError(ErrorCode::Internal, "translation to LLVM failed: {}", diagnostics);
  }
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  std::string width = std::to_string(target.vectorBits);
  for (llvm::Function &function : *code) {
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  return code;
}

/// Passes on the errors that LLVM reports while it makes code, such as impossible inline assembly.
static void collectErrors(const llvm::DiagnosticInfo *info, void *text) {
  if (info->getSeverity() == llvm::DS_Error) {
    llvm::raw_string_ostream stream(*static_cast<std::string *>(text));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }
}

Status KernelWorker::optimize(llvm::Module &module) {
  Stopwatch watch(times.optimize);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, lightPipeline)) {
    return makeError(ErrorCode::Internal, "LLVM pipeline: {}", llvm::toString(std::move(error)));
  }
  passes.run(module, modules);
  return Status::ok();
}

Expected<std::string> KernelWorker::emit(llvm::Module &module) {
  Stopwatch watch(times.emit);
  std::string errors;
  module.getContext().setDiagnosticHandlerCallBack(collectErrors, &errors);
  auto buffer = llvm::orc::SimpleCompiler(*machine)(module);
  if (!buffer) {
    return makeError(ErrorCode::Internal, "no machine code: {}",
                     llvm::toString(buffer.takeError()));
  }
  if (!errors.empty()) {
    return makeError(ErrorCode::Internal, "no machine code: {}", errors);
  }
  return (*buffer)->getBuffer().str();
}

/// The back end changes the IR that it compiles: this works on a copy.
Expected<std::string> KernelWorker::emitAssembly(llvm::Module &module) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    return makeError(ErrorCode::Internal, "the target has no assembly");
  }
  passes.run(*copy);
  return text.str().str();
}

} // namespace zyxc
