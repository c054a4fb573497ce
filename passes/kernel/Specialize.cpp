#include "dialects/zyxk/IR/affine/SimplifyExpr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/SpaceChange.h"

namespace zyxc {

#define GEN_PASS_DEF_SPECIALIZEPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

namespace {

/// What remains of a list of dims when some are bound.
struct BoundDims {
  SmallVector<std::string> names; ///< dims that stay
  SmallVector<AffineExpr> values; ///< per old dim: a constant, or its new symbol
  bool any = false;               ///< is some dim bound?
};

} // namespace

static BoundDims bindDims(ArrayAttr dimNames, const DimSizes &sizes) {
  BoundDims bound;
  MLIRContext *context = dimNames.getContext();
  for (StringRef name : dimNames.getAsValueRange<StringAttr>()) {
    if (auto size = sizes.find(name); size != sizes.end()) {
      bound.values.push_back(getAffineConstantExpr(size->second, context));
      bound.any = true;
    } else {
      bound.values.push_back(getAffineSymbolExpr(bound.names.size(), context));
      bound.names.push_back(name.str());
    }
  }
  return bound;
}

/// Every size is at least 0, and no assumption is known to be violated.
static LogicalResult checkSizes(Operation *op, ArrayAttr dimNames, std::optional<IntegerSet> assume,
                                const BoundDims &bound) {
  for (auto [name, value] : llvm::zip(dimNames.getAsValueRange<StringAttr>(), bound.values)) {
    auto size = dyn_cast<AffineConstantExpr>(value);
    if (size && size.getValue() < 0) {
      return op->emitError() << "dim '" << name << "' cannot be " << size.getValue();
    }
  }
  for (unsigned i = 0; assume && i < assume->getNumConstraints(); ++i) {
    auto value = dyn_cast<AffineConstantExpr>(
        simplifyExpr(assume->getConstraint(i).replaceSymbols(bound.values), 0, bound.names.size()));
    if (value && (assume->isEq(i) ? value.getValue() != 0 : value.getValue() < 0)) {
      InFlightDiagnostic error = op->emitError() << "the sizes violate an assumption:";
      for (auto [name, size] : llvm::zip(dimNames.getAsValueRange<StringAttr>(), bound.values)) {
        if (auto constant = dyn_cast<AffineConstantExpr>(size)) {
          error << ' ' << name << " = " << constant.getValue();
        }
      }
      return error;
    }
  }
  return success();
}

/// No port is larger than memory, nor of a size that is no number, once its dims are known.
static LogicalResult checkPorts(Operation *op, Block &block, const BoundDims &bound) {
  unsigned numDims = bound.names.size();
  for (BlockArgument argument : block.getArguments()) {
    auto type = cast<PortType>(argument.getType());
    auto error = [&] {
      return op->emitError() << "port " << argument.getArgNumber() << " at these dims: ";
    };
    SmallVector<AffineExpr> shape;
    for (AffineExpr size : type.getShape().getResults()) {
      shape.push_back(simplifyExpr(size.replaceSymbols(bound.values), 0, numDims));
      if (numDims == 0 && !isa<AffineConstantExpr>(shape.back())) {
        return error() << "its size leaves 64 bits";
      }
    }
    auto map = AffineMap::get(0, numDims, shape, op->getContext());
    if (!PortType::getChecked(error, op->getContext(), type.getElementType(), map, type.getMode(),
                              AffineMap(), type.getAlign())) {
      return failure();
    }
  }
  return success();
}

LogicalResult specialize(KernelOp kernel, const DimSizes &sizes) {
  BoundDims bound = bindDims(kernel.getDimNames(), sizes);
  if (!bound.any) {
    return success();
  }
  if (failed(checkSizes(kernel, kernel.getDimNames(), kernel.getAssume(), bound)) ||
      failed(checkPorts(kernel, kernel.getBlock(), bound))) {
    return failure();
  }
  SpaceChange change = SpaceChange::identity(kernel);
  change.dimNames = bound.names;
  change.dims = bound.values;
  for (AffineExpr &bound : change.bounds) {
    bound = bound.replaceSymbols(change.dims);
  }
  changeSpace(kernel, change);
  return success();
}

//===- Programs ------------------------------------------------------------------------------===//

/// The kernel with these sizes, made once: its name has them as suffix.
static FailureOr<KernelOp> specializedKernel(KernelOp kernel, ArrayRef<AffineExpr> sizes) {
  std::string name = kernel.getSymName().str();
  DimSizes bound;
  for (auto [dim, size] : llvm::zip(kernel.getDimNames().getAsValueRange<StringAttr>(), sizes)) {
    bound[dim] = cast<AffineConstantExpr>(size).getValue();
    name += "_" + std::to_string(bound[dim]);
  }
  if (auto made = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
          kernel->getParentOp(), StringAttr::get(kernel.getContext(), name))) {
    return made;
  }
  OpBuilder builder(kernel);
  auto copy = cast<KernelOp>(builder.clone(*kernel));
  copy.setSymName(name);
  if (failed(specialize(copy, bound))) {
    copy.erase();
    return failure();
  }
  return copy;
}

static LogicalResult specializeLaunch(LaunchOp launch, const BoundDims &bound) {
  MLIRContext *context = launch.getContext();
  SmallVector<AffineExpr> sizes;
  for (AffineExpr expr : launch.getDims().getResults()) {
    sizes.push_back(simplifyExpr(expr.replaceSymbols(bound.values), 0, bound.names.size()));
  }
  launch.setDims(AffineMap::get(0, bound.names.size(), sizes, context));
  bool allKnown = llvm::all_of(sizes, llvm::IsaPred<AffineConstantExpr>);
  KernelOp kernel = launch.lookUpKernel();
  if (sizes.empty() || !allKnown || !kernel) {
    return success();
  }
  FailureOr<KernelOp> made = specializedKernel(kernel, sizes);
  if (failed(made)) {
    return failure();
  }
  launch.setKernel(made->getSymName());
  launch.setDims(AffineMap::get(0, bound.names.size(), {}, context));
  launch.setDimNamesAttr(Builder(context).getStrArrayAttr({}));
  return success();
}

LogicalResult specialize(ProgramOp program, const DimSizes &sizes) {
  BoundDims bound = bindDims(program.getDimNames(), sizes);
  if (failed(checkSizes(program, program.getDimNames(), program.getAssume(), bound)) ||
      failed(checkPorts(program, program.getBlock(), bound))) {
    return failure();
  }
  for (auto launch : program.getBlock().getOps<LaunchOp>()) {
    if (failed(specializeLaunch(launch, bound))) {
      return failure();
    }
  }
  unsigned numDims = bound.names.size();
  for (BlockArgument argument : program.getBlock().getArguments()) {
    argument.setType(withDims(cast<PortType>(argument.getType()), bound.values, numDims));
  }
  Builder builder(program.getContext());
  SmallVector<StringRef> names(bound.names.begin(), bound.names.end());
  program.setDimNamesAttr(builder.getStrArrayAttr(names));
  if (std::optional<IntegerSet> assume = program.getAssume()) {
    IntegerSet set = changeSet(*assume, {}, bound.values, 0, numDims);
    program.setAssumeAttr(set ? IntegerSetAttr::get(set) : IntegerSetAttr());
  }
  return success();
}

//===- The pass ------------------------------------------------------------------------------===//

namespace {

struct SpecializePass : impl::SpecializePassBase<SpecializePass> {
  using Base::Base;

  LogicalResult readSizes(DimSizes &sizes) {
    for (StringRef binding : dims) {
      auto [name, text] = binding.split('=');
      int64_t size = 0;
      if (name.empty() || text.getAsInteger(10, size)) {
        return getOperation().emitError() << "'" << binding << "' binds no dim: write NAME=SIZE";
      }
      sizes[name] = size;
    }
    return success();
  }

  DenseSet<KernelOp> launchedKernels() {
    DenseSet<KernelOp> kernels;
    getOperation().walk([&](LaunchOp launch) { kernels.insert(launch.lookUpKernel()); });
    return kernels;
  }

  void runOnOperation() override {
    DimSizes sizes;
    if (failed(readSizes(sizes))) {
      return signalPassFailure();
    }
    DenseSet<KernelOp> launched = launchedKernels();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (failed(specialize(program, sizes))) {
        return signalPassFailure();
      }
    }
    DenseSet<KernelOp> stillLaunched = launchedKernels();
    for (auto kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      if (launched.contains(kernel) && !stillLaunched.contains(kernel)) {
        kernel.erase(); // its launches run kernels with sizes now
      } else if (!stillLaunched.contains(kernel) && failed(specialize(kernel, sizes))) {
        return signalPassFailure();
      }
    }
  }
};

} // namespace

} // namespace zyxc
