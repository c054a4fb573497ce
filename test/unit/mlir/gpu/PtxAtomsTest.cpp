// Every PTX atom goes through LLVM's NVPTX back end; the instruction is found in the text.
#include "passes/lower/ptx/PtxAtoms.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "passes/lower/ptx/SharedMemory.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace zyxc;

namespace {

/// A kernel `f(i32, f32, ptr, i64, ptr<1>)`, whose body a test fills.
class PtxFunction {
public:
  PtxFunction() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect>();
    registerBuiltinDialectTranslation(context);
    registerGPUDialectTranslation(context);
    registerLLVMDialectTranslation(context);
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    gpuModule = gpu::GPUModuleOp::create(builder, loc, "m");
    builder.setInsertionPointToEnd(gpuModule.getBody());
    auto pointer = LLVM::LLVMPointerType::get(&context);
    auto out = LLVM::LLVMPointerType::get(&context, 1);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(&context),
        {builder.getI32Type(), builder.getF32Type(), pointer, builder.getI64Type(), out});
    auto function = LLVM::LLVMFuncOp::create(builder, loc, "f", type);
    Block *block = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    address = block->getArgument(0);
    number = block->getArgument(1);
    global = block->getArgument(2);
    wide = block->getArgument(3);
    result = block->getArgument(4);
  }

  void keep(ValueRange values) {
    for (Value value : values) {
      LLVM::StoreOp::create(builder, loc, value, result, 0, /*isVolatile=*/true);
    }
  }

  /// The text of the function, sm_90a.
  std::string ptx() {
    LLVM::ReturnOp::create(builder, loc, ValueRange());
    PassManager passes(&context);
    passes.addNestedPass<gpu::GPUModuleOp>(createArithToLLVMConversionPass());
    REQUIRE(succeeded(passes.run(*module)));
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(gpuModule, llvmContext);
    REQUIRE(llvmModule);
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::Triple triple("nvptx64-nvidia-cuda");
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    REQUIRE(target);
    std::unique_ptr<llvm::TargetMachine> machine(
        target->createTargetMachine(triple, "sm_90a", "+ptx80", {}, std::nullopt));
    llvmModule->setTargetTriple(triple);
    llvmModule->setDataLayout(machine->createDataLayout());
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager codegen;
    REQUIRE(!machine->addPassesToEmitFile(codegen, stream, nullptr,
                                          llvm::CodeGenFileType::AssemblyFile));
    codegen.run(*llvmModule);
    return text.str().str();
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  gpu::GPUModuleOp gpuModule;
  Value address, number, global, wide, result;
};

void requireAll(const std::string &text, ArrayRef<const char *> parts) {
  for (const char *part : parts) {
    INFO(text);
    INFO(part);
    REQUIRE(text.find(part) != std::string::npos);
  }
}

} // namespace

TEST_CASE("barriers and copies become their PTX instructions", "[ptx-atoms]") {
  PtxFunction f;
  PtxAtoms atoms(f.builder, f.loc);
  I32Math math(f.builder, f.loc);
  Value condition = math.less(f.address, 7);
  Value shared = math.add(dynamicSharedBase(f.builder, f.loc), f.address);
  atoms.barrierInit(shared, 3);
  atoms.barrierInitFence();
  atoms.barrierWait(shared, f.address);
  atoms.barrierWait(shared, f.address);
  atoms.barrierArrive(shared);
  atoms.barrierArriveIf(shared, condition);
  atoms.barrierArriveRemoteIf(shared, condition, f.address);
  atoms.barrierExpect(shared, 49152);
  atoms.barrierArriveOnCopies(shared);
  atoms.tmaLoad(shared, f.global, {f.address, f.address}, shared);
  atoms.tmaLoad(shared, f.global, {f.address, f.address, f.address, f.address}, shared);
  atoms.moreRegisters(240);
  atoms.fewerRegisters(24);
  atoms.namedSync(math.constant(1), 128);
  atoms.namedArrive(f.address, 256);
  atoms.syncWarp();
  atoms.proxyFence();
  atoms.copyAsync(shared, 4096, f.wide, 128);
  atoms.copyAsyncPart(shared, 0, f.wide, 64, f.address);
  atoms.storeSharedPair(shared, 2048, f.number, f.number);
  atoms.copyCommit();
  atoms.copyWait(2);
  requireAll(f.ptx(),
             {".extern .shared .align 1024 .b8 dynamic_shared[]",
              "mbarrier.init.shared::cta.b64 [%r",
              "], 3;",
              "fence.mbarrier_init.release.cluster;",
              "mbarrier.try_wait.parity.shared::cta.b64 P",
              "mbarrier.arrive.shared::cta.b64 _, [%r",
              "mapa.shared::cluster.u32 ra, ",
              "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r",
              "], 49152;",
              "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r",
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r",
              "cp.async.bulk.tensor.4d.",
              "setmaxnreg.inc.sync.aligned.u32 240;",
              "setmaxnreg.dec.sync.aligned.u32 24;",
              ", 128;",
              "bar.arrive %r",
              "bar.warp.sync 0xffffffff;",
              "fence.proxy.async.shared::cta;",
              "cp.async.cg.shared.global [%r1+4096], [%rd2+128], 16;",
              "+64], 16, %r2;",
              "st.shared.v2.f32 [%r1+2048], {",
              "cp.async.commit_group;",
              "cp.async.wait_group 2;"});
}

TEST_CASE("a group of products is one asm", "[ptx-atoms]") {
  PtxFunction f;
  PtxAtoms atoms(f.builder, f.loc);
  Type f16 = f.builder.getF16Type();
  Value descriptor = wgmmaDescriptor(f.builder, f.loc, f.address, 8192, 1024);
  SmallVector<Value> a = atoms.loadMatrix(f.address, false);
  WgmmaFactors shared{{descriptor}, descriptor}, registers{llvm::to_vector<4>(a), descriptor};
  WgmmaFactors second = shared;
  second.block = 1;
  WgmmaShape shape{8, f16, false, true};
  SmallVector<Value> sums = atoms.wgmmaGroup(shape, {}, {shared, second, registers});
  REQUIRE(sums.size() == 8);
  sums = atoms.wgmmaGroup(shape, {sums.data(), 4}, {registers}, 0);
  f.keep(sums);
  SmallVector<Value> b = atoms.loadMatrix(f.address, true);
  SmallVector<Value> eight(8, f.number);
  f.keep(atoms.mma(f16, eight, a, b));
  std::string text = f.ptx();
  size_t fence = text.find("wgmma.fence.sync.aligned;");
  size_t start = text.find("{%r", fence);
  std::string firstSums = text.substr(start, text.find('}', start) - start);
  // Two blocks start at zero, the third product is added to the first block.
  size_t zero = text.find(", 0, 1, 1, 0, 1;", fence),
         otherZero = text.find(", 0, 1, 1, 0, 1;", zero + 1);
  REQUIRE(otherZero != std::string::npos);
  size_t added = text.find(firstSums, otherZero);
  REQUIRE(added < text.find(", 1, 1, 1, 1;", otherZero));
  REQUIRE(text.find("wgmma.commit_group", added) < text.find("wgmma.wait_group", added));
  size_t mma = text.find("mma.sync.aligned.m16n8k16");
  REQUIRE(text.find("mma.sync.aligned.m16n8k16", mma + 1) != std::string::npos);
}

TEST_CASE("matrix atoms become their PTX instructions", "[ptx-atoms]") {
  PtxFunction f;
  PtxAtoms atoms(f.builder, f.loc);
  Type f16 = f.builder.getF16Type();
  Type bf16 = f.builder.getBF16Type();
  Value descriptor = wgmmaDescriptor(f.builder, f.loc, f.address, 8192, 1024);
  Value next = advanceDescriptor(f.builder, f.loc, descriptor, 2048);
  atoms.wgmmaFence();
  SmallVector<Value> sums = atoms.wgmma({64, f16, false, true}, {}, descriptor, next);
  sums = atoms.wgmma({64, f16, true, false}, sums, descriptor, next);
  SmallVector<Value> a = atoms.loadMatrix(f.address, false);
  sums = atoms.wgmmaRegisters({64, bf16, false, true}, sums, a, descriptor);
  atoms.wgmmaCommit();
  atoms.wgmmaWait(1);
  sums = atoms.wgmmaWait(0, sums);
  SmallVector<Value> b = atoms.loadMatrix(f.address, true);
  f.keep(sums);
  f.keep(atoms.mma(bf16, {sums.data(), 4}, a, {b.data(), 2}));
  f.keep(atoms.pack(f16, f.number, sums[0]));
  f.keep(atoms.pack(bf16, f.number, sums[0]));
  f.keep(atoms.tanh(f.number));
  f.keep(atoms.exp2(f.number));
  f.keep(atoms.opaqueXor(atoms.shuffleXor(f.address, 2), f.address));
  f.keep(atoms.voteAny(I32Math(f.builder, f.loc).less(f.address, 5)));
  requireAll(f.ptx(),
             {"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%r", ", 0, 1, 1, 0, 1;",
              ", 1, 1, 1, 1, 0;", "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16", "}, %rd",
              ", 1, 1, 1, 1;", "wgmma.commit_group.sync.aligned;",
              "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 0;",
              "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r",
              "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r",
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r", "cvt.rn.f16x2.f32 %r",
              "cvt.rn.bf16x2.f32 %r", "tanh.approx.f32 %r", "ex2.approx.ftz.f32 %r",
              "shfl.sync.bfly.b32 %r", "vote.sync.any.pred Q, P", "xor.b32 %r"});
}
