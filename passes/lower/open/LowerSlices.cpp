#include "passes/lower/open/LowerSlices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Transforms.h"
#include "passes/lower/HostFunction.h"
#include "passes/lower/LegalizeBody.h"
#include "passes/lower/contract/LowerContract.h"
#include <numeric>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

static int64_t elementBytes(PortType port) {
  return llvm::divideCeil(port.getElementType().getIntOrFloatBitWidth(), 8);
}

/// Makes a kernel that of its first slice.
static LogicalResult makeSlice(KernelOp kernel, const BatchAxis &batch) {
  DimSizes sizes;
  sizes[cast<StringAttr>(kernel.getDimNames()[0]).getValue()] = 1;
  if (failed(specialize(kernel, sizes))) {
    return failure();
  }
  // A slice is as aligned as the step between slices allows.
  for (auto [number, stride] : llvm::enumerate(batch.strides)) {
    PortType port = kernel.getPortType(number);
    int64_t align = std::gcd(port.getAlign(), stride * elementBytes(port));
    align = stride == 0 ? port.getAlign() : align & -align;
    kernel.getPort(number).setType(PortType::get(kernel.getContext(), port.getElementType(),
                                                 port.getShape(), port.getMode(), port.getLayout(),
                                                 align));
  }
  return success();
}

bool hasTiledSlices(KernelOp kernel) {
  std::optional<BatchAxis> batch = findBatchAxis(kernel);
  if (!batch || kernel.getBlock().getOps<ContractOp>().empty()) {
    return false;
  }
  auto probe = cast<KernelOp>(kernel->clone());
  bool isTiled = succeeded(makeSlice(probe, *batch)) && succeeded(legalizeBody(probe)) &&
                 !storesNothing(probe) && isLowerableContract(probe) && !isVectorProduct(probe);
  probe.erase();
  return isTiled;
}

LogicalResult lowerSlices(KernelOp kernel, LowerSlice lower) {
  BatchAxis batch = *findBatchAxis(kernel);
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = kernel.getSymName().str();
  Builder builder(kernel.getContext());
  SmallVector<int64_t> bytes;
  for (auto [number, stride] : llvm::enumerate(batch.strides)) {
    bytes.push_back(stride * elementBytes(kernel.getPortType(number)));
  }
  if (failed(makeSlice(kernel, batch)) || failed(lower(kernel))) {
    return failure();
  }
  auto function = module.lookupSymbol<func::FuncOp>(name);
  int64_t tasks = function->getAttrOfType<IntegerAttr>(numTasksAttrName).getInt();
  AffineExpr all = builder.getAffineSymbolExpr(0) * tasks;
  function->setAttr(numTasksAttrName, AffineMapAttr::get(AffineMap::get(0, 1, all)));
  function->setAttr(dimsAttrName, builder.getI64IntegerAttr(1));
  function->setAttr(sliceTasksAttrName, builder.getI64IntegerAttr(tasks));
  function->setAttr(sliceBytesAttrName, builder.getDenseI64ArrayAttr(bytes));
  return success();
}

} // namespace zyxc
