#include "passes/lower/tile/GpuLaunch.h"
#include "dialects/zyxk/IR/PortElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Workgroups in x. CUDA allows 2^31 - 1; 65535 is what every Vulkan device must allow.
static constexpr int64_t maxCudaGrid = INT32_MAX;
static constexpr int64_t maxVulkanGrid = 65535;

OpBuilder GpuLaunch::atEnd() {
  return OpBuilder(function.getBody().front().getTerminator());
}

OpBuilder GpuLaunch::atStart() {
  return OpBuilder::atBlockBegin(&function.getBody().front());
}

Attribute globalSpace(MLIRContext *context) {
  return gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
}

Attribute workgroupSpace(MLIRContext *context) {
  return gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
}

GpuModule::GpuModule(KernelOp kernel, const Target &target, int64_t scratchBytes)
    : kernel(kernel), target(target), scratchBytes(scratchBytes) {
  OpBuilder builder(kernel);
  op = gpu::GPUModuleOp::create(builder, kernel.getLoc(), kernel.getSymName());
  op->setAttr(gpuScratchBytesAttrName, builder.getI64IntegerAttr(scratchBytes));
  if (kernel->hasAttr(wideIndexAttrName)) {
    op->setAttr(wideIndexAttrName, builder.getUnitAttr());
  }
}

GpuLaunch GpuModule::addLaunch(int64_t workgroups, int64_t threads) {
  int64_t most = target.kind == TargetKind::Spirv ? maxVulkanGrid : maxCudaGrid;
  if (workgroups <= most) {
    return addLaunch({workgroups, 1, 1}, threads);
  }
  int64_t rows = llvm::divideCeil(workgroups, most);
  return addLaunch({int64_t(llvm::divideCeil(workgroups, rows)), rows, 1}, threads);
}

GpuLaunch GpuModule::addLaunch(std::array<int64_t, 3> grid, int64_t threads) {
  MLIRContext *context = kernel.getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(op.getBody());
  SmallVector<Type> inputs;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto port = cast<PortType>(argument.getType());
    inputs.push_back(MemRefType::get({portElements(port)}, port.getElementType(),
                                     MemRefLayoutAttrInterface(), globalSpace(context)));
  }
  if (scratchBytes > 0) {
    inputs.push_back(MemRefType::get({scratchBytes}, builder.getI8Type(),
                                     MemRefLayoutAttrInterface(), globalSpace(context)));
  }
  std::string name = kernel.getSymName().str();
  if (launches > 0) {
    name += "_" + std::to_string(launches);
  }
  GpuLaunch launch;
  launch.function =
      gpu::GPUFuncOp::create(builder, kernel.getLoc(), name, builder.getFunctionType(inputs, {}));
  launch.function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  launch.function->setAttr(launchAttrName, builder.getI64IntegerAttr(launches));
  launch.function->setAttr(gridAttrName, builder.getDenseI64ArrayAttr(grid));
  if (launches > 0 && target.startsEarly) {
    launch.function->setAttr(startsEarlyAttrName, builder.getUnitAttr());
  }
  launch.function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  ++launches;
  launch.grid = grid;
  launch.threads = threads;
  Block &entry = launch.function.getBody().front();
  unsigned numPorts = kernel.getNumPorts();
  launch.ports.assign(entry.args_begin(), entry.args_begin() + numPorts);
  if (scratchBytes > 0) {
    launch.scratch = entry.getArgument(numPorts);
  }
  builder.setInsertionPointToEnd(&entry);
  gpu::ReturnOp::create(builder, kernel.getLoc());
  return launch;
}

Value blockIndex(OpBuilder &builder, Location loc, const GpuLaunch &launch) {
  Value x = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  if (launch.grid[1] == 1) {
    return x;
  }
  Value y = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::y);
  Value columns = arith::ConstantIndexOp::create(builder, loc, launch.grid[0]);
  Value first = arith::MulIOp::create(builder, loc, y, columns);
  return arith::AddIOp::create(builder, loc, first, x);
}

} // namespace zyxc
