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

/// Rows of a block: a multiple of the rows of most register tiles, and enough to pay for reading
/// the columns again for each block.
static constexpr int64_t rowsInBlock = 96;

static int64_t elementBytes(PortType port) {
  return llvm::divideCeil(port.getElementType().getIntOrFloatBitWidth(), 8);
}

/// Makes a kernel that of its first `points` points.
static LogicalResult makeSlice(KernelOp kernel, const BatchAxes &batch, int64_t points) {
  DimSizes sizes;
  for (Attribute name : kernel.getDimNames()) {
    sizes[cast<StringAttr>(name).getValue()] = sizes.empty() ? points : 1;
  }
  if (failed(specialize(kernel, sizes))) {
    return failure();
  }
  // A slice is as aligned as the step between slices allows.
  for (auto [number, stride] : llvm::enumerate(batch.strides)) {
    PortType port = kernel.getPortType(number);
    int64_t align = std::gcd(port.getAlign(), stride * points * elementBytes(port));
    align = stride == 0 ? port.getAlign() : align & -align;
    kernel.getPort(number).setType(PortType::get(kernel.getContext(), port.getElementType(),
                                                 port.getShape(), port.getMode(), port.getLayout(),
                                                 align));
  }
  return success();
}

int64_t pointsInSlice(KernelOp kernel) {
  std::optional<BatchAxes> batch = findBatchAxes(kernel);
  if (!batch || kernel.getBlock().getOps<ContractOp>().empty()) {
    return 0;
  }
  auto isTiled = [&](int64_t points) {
    auto probe = cast<KernelOp>(kernel->clone());
    bool works = succeeded(makeSlice(probe, *batch, points)) && succeeded(legalizeBody(probe)) &&
                 !storesNothing(probe) && isLowerableContract(probe) && !isVectorProduct(probe) &&
                 (points == 1 || hasRowsAlongFirstAxis(probe, points));
    probe.erase();
    return works;
  };
  return isTiled(1) ? 1 : isTiled(rowsInBlock) ? rowsInBlock : 0;
}

LogicalResult lowerSlices(KernelOp kernel, unsigned vectorBits, LowerSlice lower) {
  BatchAxes batch = *findBatchAxes(kernel);
  int64_t points = pointsInSlice(kernel);
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = kernel.getSymName().str();
  Builder builder(kernel.getContext());
  SmallVector<int64_t> bytes;
  for (auto [number, stride] : llvm::enumerate(batch.strides)) {
    bytes.push_back(stride * points * elementBytes(kernel.getPortType(number)));
  }
  unsigned numDims = kernel.getNumDims();
  if (failed(makeSlice(kernel, batch, points))) {
    return failure();
  }
  if (points == 1 ? failed(lower(kernel))
                  : failed(legalizeBody(kernel)) ||
                        failed(lowerContract(kernel, vectorBits, /*rowBlock=*/points))) {
    return failure();
  }
  auto function = module.lookupSymbol<func::FuncOp>(name);
  int64_t tasks = function->getAttrOfType<IntegerAttr>(numTasksAttrName).getInt();
  AffineExpr all = builder.getAffineConstantExpr(1);
  for (unsigned dim = 0; dim < numDims; ++dim) {
    all = all * builder.getAffineSymbolExpr(dim);
  }
  all = all.ceilDiv(points) * tasks;
  function->setAttr(numTasksAttrName, AffineMapAttr::get(AffineMap::get(0, numDims, all)));
  function->setAttr(dimsAttrName, builder.getI64IntegerAttr(numDims));
  function->setAttr(sliceTasksAttrName, builder.getI64IntegerAttr(tasks));
  function->setAttr(sliceBytesAttrName, builder.getDenseI64ArrayAttr(bytes));
  if (points > 1) {
    function->setAttr(slicePointsAttrName, builder.getI64IntegerAttr(points));
  }
  return success();
}

} // namespace zyxc
