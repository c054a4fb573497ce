#include "tools/ir/Registration.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/lower/LowerHost.h"
#include "passes/lower/gpu/LowerGpu.h"
#include "passes/lower/matrix/LowerMatrix.h"
#include "passes/pipelines/GpuToNvvm.h"
#include "passes/pipelines/HostPipeline.h"
#include "passes/pipelines/spirv/GpuToSpirv.h"

namespace zyxc {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<zyx::ZyxDialect, zyxk::ZyxkDialect, mlir::affine::AffineDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::spirv::SPIRVDialect, mlir::vector::VectorDialect>();
  mlir::func::registerInlinerExtension(registry);
}

void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerSymbolDCEPass();
  registerGraphPasses();
  registerKernelPasses();
  registerLowerHostPass();
  registerLowerGpuPass();
  registerLowerMatrixPass();
  registerHostPipeline();
  registerNvvmPipeline();
  registerGpuToSpirv();
}

} // namespace zyxc
