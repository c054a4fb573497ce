#include "compiler/codegen/cuda/PtxEmitter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <array>
#include <optional>

// The NVPTX code generator; declared here, since its headers are not installed.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace zyxc {

/// Kernels arrive in their final shape: LLVM cleans up addresses and loops.
static constexpr llvm::StringLiteral lightPipeline =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),"
    "early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
/// The same where functions of libdevice were linked: they are to be inlined.
static constexpr llvm::StringLiteral libraryPipeline =
    "nvvm-reflect,cgscc(inline),globaldce,function(sroa,early-cse,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-mssa(licm),early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";
/// Results of one inline assembly from which on it is fragment code of a matrix unit, in which LLVM
/// finds nothing but costs most of the time.
static constexpr unsigned fragmentResults = 8;
/// Loads from global memory that are enough in one turn of a loop.
static constexpr size_t loadsInFlight = 4;
static constexpr unsigned globalSpace = 1;

namespace {

/// The PTX version that an architecture needs.
struct Version {
  llvm::StringLiteral architecture, feature;
};

} // namespace

static constexpr std::array<Version, 8> versions = {{
    {"sm_75", "+ptx64"},
    {"sm_80", "+ptx70"},
    {"sm_86", "+ptx71"},
    {"sm_89", "+ptx78"},
    {"sm_90", "+ptx80"},
    {"sm_90a", "+ptx80"},
    {"sm_100", "+ptx86"},
    {"sm_120", "+ptx87"},
}};

Expected<PtxEmitter> PtxEmitter::create(const Target &target, std::string libdevice) {
  const auto *version = llvm::find_if(
      versions, [&](const Version &each) { return each.architecture == target.name; });
  if (target.kind != TargetKind::Ptx || version == versions.end()) {
    return makeError(ErrorCode::Unsupported, "target {} has no PTX", target.name);
  }
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend) {
    return makeError(ErrorCode::Internal, "LLVM makes no PTX: {}", error);
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.name, version->feature, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Default));
  return PtxEmitter(std::move(machine), std::move(libdevice));
}

static bool callsLibdevice(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
}

/// Barriers and matrix instructions in inline assembly must not be copied to several branches, and
/// a switch is better compared than jumped through.
static void markFunctions(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      function.addFnAttr("no-jump-tables", "true");
    }
    for (llvm::BasicBlock &block : function) {
      for (llvm::Instruction &instruction : block) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call && call->isInlineAsm() && call->mayHaveSideEffects()) {
          call->setConvergent();
        }
      }
    }
  }
}

/// Loads from global memory in a loop.
static size_t loadsOf(const llvm::Loop &loop) {
  size_t loads = 0;
  for (const llvm::BasicBlock *block : loop.blocks()) {
    loads += llvm::count_if(*block, [](const llvm::Instruction &instruction) {
      const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      return load && load->getPointerAddressSpace() == globalSpace;
    });
  }
  return loads;
}

/// Loops that have enough loads in flight already are not to be unrolled by ptxas.
static void keepLoops(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    llvm::DominatorTree dominators(function);
    llvm::LoopInfo loops(dominators);
    for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
      if (loadsOf(*loop) >= loadsInFlight) {
        loop->setLoopAlreadyUnrolled();
      }
    }
  }
}

Status PtxEmitter::prepare(llvm::Module &module) {
  markFunctions(module);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  if (!callsLibdevice(module)) {
    return Status::ok();
  }
  llvm::StringSet<> kernels;
  for (const llvm::Function &function : module) {
    if (!function.isDeclaration()) {
      kernels.insert(function.getName());
    }
  }
  llvm::SMDiagnostic diagnostic;
  auto library = llvm::getLazyIRFileModule(libdevice, diagnostic, module.getContext());
  if (!library) {
    return makeError(ErrorCode::Input, "{}: not libdevice: {}", libdevice,
                     diagnostic.getMessage().str());
  }
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::LinkOnlyNeeded)) {
    return makeError(ErrorCode::Internal, "{} cannot be linked", libdevice);
  }
  llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) {
    return kernels.contains(value.getName()) || llvm::isa<llvm::GlobalVariable>(value);
  });
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  module.addModuleFlag(llvm::Module::Override, "zyxc-libdevice", uint32_t(1));
  return Status::ok();
}

/// Whether code works on fragments of a matrix unit.
static bool hasFragments(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    for (const llvm::BasicBlock &block : function) {
      for (const llvm::Instruction &instruction : block) {
        const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        const auto *results = llvm::dyn_cast<llvm::StructType>(instruction.getType());
        if (call && call->isInlineAsm() && results &&
            results->getNumElements() >= fragmentResults) {
          return true;
        }
      }
    }
  }
  return false;
}

Status PtxEmitter::optimize(llvm::Module &module) {
  bool isLibraryUser = module.getModuleFlag("zyxc-libdevice") != nullptr;
  bool areFragments = hasFragments(module);
  if (!isLibraryUser && areFragments) {
    return Status::ok();
  }
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
  llvm::StringRef pipeline = isLibraryUser ? libraryPipeline : lightPipeline;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline)) {
    return makeError(ErrorCode::Internal, "LLVM pipeline: {}", llvm::toString(std::move(error)));
  }
  passes.run(module, modules);
  if (!areFragments) {
    keepLoops(module);
  }
  return Status::ok();
}

/// Passes on the errors that LLVM reports while it makes code. Without this it ends the process.
static void collectErrors(const llvm::DiagnosticInfo *info, void *text) {
  if (info->getSeverity() == llvm::DS_Error) {
    llvm::raw_string_ostream stream(*static_cast<std::string *>(text));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
  }
}

Expected<std::string> PtxEmitter::emit(llvm::Module &module) {
  std::string errors;
  module.getContext().setDiagnosticHandlerCallBack(collectErrors, &errors);
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  // What has no instruction was refused before; should LLVM still give up, that is an error where
  // the program has enabled crash recovery.
  llvm::CrashRecoveryContext guard;
  bool canEmit = true;
  bool ended = guard.RunSafely([&] {
    llvm::legacy::PassManager passes;
    canEmit =
        !machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
    if (canEmit) {
      passes.run(module);
    }
  });
  if (!ended || !canEmit || !errors.empty()) {
    return makeError(ErrorCode::Internal, "no PTX: {}",
                     errors.empty() ? "LLVM has no code for an operation" : errors);
  }
  return ptx.str().str();
}

} // namespace zyxc
