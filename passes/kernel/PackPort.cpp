#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/ProgramEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_PACKPORTPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

/// Address of a packed port in bytes: a cache line.
static constexpr int64_t packedAlign = 64;

/// Panels of `block` elements along `axis`: panels in order, in each the other axes in row-major
/// order, innermost the element within the block.
static AffineMap panelLayout(ArrayRef<int64_t> shape, unsigned axis, int64_t block,
                             unsigned numDims, MLIRContext *context) {
  AffineExpr others = getAffineConstantExpr(0, context);
  int64_t stride = 1;
  for (unsigned i = shape.size(); i-- > 0;) {
    if (i != axis) {
      others = getAffineDimExpr(i, context) * stride + others;
      stride *= shape[i];
    }
  }
  AffineExpr along = getAffineDimExpr(axis, context);
  AffineExpr offset = along.floorDiv(block) * (stride * block) + others * block + along % block;
  return AffineMap::get(shape.size(), numDims, offset);
}

/// A kernel that copies a port to one with another layout.
static KernelOp makeCopy(OpBuilder &builder, Location loc, StringRef name, PortType from,
                         PortType to, ArrayRef<int64_t> shape) {
  MLIRContext *context = builder.getContext();
  SmallVector<std::string> names;
  SmallVector<AffineExpr> bounds;
  SmallVector<AffineExpr> axes;
  for (auto [i, size] : llvm::enumerate(shape)) {
    names.push_back("i" + std::to_string(i));
    bounds.push_back(getAffineConstantExpr(size, context));
    axes.push_back(getAffineDimExpr(i, context));
  }
  auto withMode = [&](PortType type, PortMode mode) {
    // The copy has no dims.
    auto layout = type.getLayout() ? AffineMap::get(shape.size(), 0, type.getLayout().getResult(0))
                                   : AffineMap();
    return PortType::get(context, type.getElementType(), AffineMap::get(0, 0, bounds, context),
                         mode, layout, type.getAlign());
  };
  KernelOp kernel = KernelOp::createWithPorts(
      builder, loc, name, {}, SmallVector<StringRef>(names.begin(), names.end()),
      AffineMap::get(shape.size(), 0, bounds, context),
      {withMode(from, PortMode::In), withMode(to, PortMode::Out)});
  OpBuilder body(context);
  body.setInsertionPointToEnd(&kernel.getBlock());
  auto map = AffineMap::get(shape.size(), 0, axes, context);
  Value value =
      LoadOp::create(body, loc, from.getElementType(), kernel.getPort(0), ValueRange(), map);
  StoreOp::create(body, loc, value, kernel.getPort(1), ValueRange(), map, Combine::None);
  return kernel;
}

FailureOr<ProgramOp> packPort(KernelOp kernel, unsigned port, unsigned axis, int64_t block) {
  if (port >= kernel.getNumPorts() || block < 1) {
    return failure();
  }
  PortType old = kernel.getPortType(port);
  std::optional<SmallVector<int64_t>> shape = old.getStaticShape();
  bool isOpaque = !kernel.getBlock().getOps<OpaqueOp>().empty(); // takes no layouts
  if (isOpaque || old.getMode() != PortMode::In || old.getLayout() || !shape ||
      axis >= shape->size()) {
    return failure();
  }
  MLIRContext *context = kernel.getContext();
  unsigned numDims = kernel.getNumDims();
  auto packed = [&](PortMode mode) {
    return PortType::get(context, old.getElementType(), old.getShape(), mode,
                         panelLayout(*shape, axis, block, numDims, context), packedAlign);
  };
  std::string name = kernel.getSymName().str();
  OpBuilder builder(kernel);
  KernelOp copy =
      makeCopy(builder, kernel.getLoc(), name + "_pack", old, packed(PortMode::In), *shape);
  ProgramOp program = wrapKernel(kernel, name + "_packed", {packed(PortMode::Scratch)});
  kernel.getPort(port).setType(packed(PortMode::In));
  auto launch = cast<LaunchOp>(program.getBlock().front());
  Value scratch = program.getPort(program.getNumPorts() - 1);
  launch.getPortsMutable()[port].set(scratch);
  builder.setInsertionPoint(launch);
  LaunchOp::create(builder, launch.getLoc(), copy.getSymName(),
                   ValueRange{program.getPort(port), scratch}, builder.getStrArrayAttr({}),
                   AffineMap::get(0, numDims, {}, context));
  return program;
}

namespace {

struct PackPortPass : impl::PackPortPassBase<PackPortPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      if (!isLaunched(kernel) && failed(packPort(kernel, port, axis, block))) {
        kernel.emitError() << "port " << port.getValue()
                           << " cannot be packed: it must be an in port of static shape without a "
                              "layout, with an axis "
                           << axis.getValue();
        return signalPassFailure();
      }
    }
  }
};

} // namespace

} // namespace zyxc
