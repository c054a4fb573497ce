// Verifiers of custom kernels, their sources and their uses.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/custom/CustomKernel.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

namespace zyxc::zyx {

//===- Sources --------------------------------------------------------------------------------===//

static bool isFunctionName(llvm::StringRef name) {
  auto isOfName = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  return !name.empty() && llvm::all_of(name, isOfName);
}

static llvm::LogicalResult verifyEntry(mlir::Operation *op, llvm::StringRef name) {
  return isFunctionName(name) ? mlir::success()
                              : op->emitOpError() << "'" << name << "' is no name of a function";
}

llvm::LogicalResult HostSourceOp::verify() {
  return verifyEntry(*this, getEntry());
}

/// A path that stays in the folder of the module.
static bool isInFolder(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef> parts;
  path.split(parts, '/');
  return !path.empty() && !path.starts_with("/") && !path.contains('\0') &&
         !llvm::is_contained(parts, "..");
}

template <class Op> static llvm::LogicalResult verifyGpuSource(Op op) {
  if (mlir::failed(verifyEntry(op, op.getEntry()))) {
    return mlir::failure();
  }
  if (bool(op.getTextAttr()) == bool(op.getFileAttr())) {
    return op.emitOpError("give its code as text or as file, one of them");
  }
  if (op.getFile() && !isInFolder(*op.getFile())) {
    return op.emitOpError() << "file '" << *op.getFile()
                            << "' must be a path below the folder of the module";
  }
  if (op.getGrid().empty() || op.getGrid().size() > 3) {
    return op.emitOpError("grid has 1 to 3 sizes: workgroups in x, y and z");
  }
  return mlir::success();
}

template <class Op> static llvm::LogicalResult verifyCudaSource(Op op) {
  constexpr int64_t mostThreads = 1024, mostShared = 1 << 24;
  auto block = static_cast<int64_t>(op.getBlock());
  auto shared = static_cast<int64_t>(op.getShared());
  if (mlir::failed(verifyGpuSource(op))) {
    return mlir::failure();
  }
  if (!dim::isSymbolic(block) && (block < 1 || block > mostThreads)) {
    return op.emitOpError() << "a block of " << block << " threads: it has 1 to " << mostThreads;
  }
  if (shared < 0 || shared > mostShared) {
    return op.emitOpError() << shared << " bytes of shared memory";
  }
  return mlir::success();
}

llvm::LogicalResult PtxSourceOp::verify() {
  return verifyCudaSource(*this);
}
llvm::LogicalResult CudaSourceOp::verify() {
  return verifyCudaSource(*this);
}
llvm::LogicalResult SpirvSourceOp::verify() {
  return verifyGpuSource(*this);
}

//===- Declarations ---------------------------------------------------------------------------===//

namespace {

/// Checks one declaration; each function emits the error it finds.
class Declaration {
public:
  explicit Declaration(CustomKernelOp kernel) : kernel(kernel) {
    for (std::string &name : dimNames(kernel)) {
      names.insert(std::move(name));
    }
  }

  llvm::LogicalResult verify() {
    return mlir::failure(mlir::failed(verifyTypes()) || mlir::failed(verifyCost()) ||
                         mlir::failed(verifySources()));
  }

private:
  /// Each variable of a size must be an axis of an operand.
  llvm::LogicalResult verifySize(mlir::Operation *op, int64_t size, const std::string &what) {
    for (const std::string &name : dim::variables(size)) {
      if (!names.contains(name)) {
        return op->emitOpError() << "dim '" << name << "' of " << what
                                 << " is no axis of an operand, which would decide its value";
      }
    }
    return mlir::success();
  }

  llvm::LogicalResult verifyTypes() {
    mlir::FunctionType type = kernel.getType();
    if (type.getNumResults() == 0) {
      return kernel.emitOpError("has no result");
    }
    for (llvm::ArrayRef<mlir::Type> types : {type.getInputs(), type.getResults()}) {
      for (mlir::Type each : types) {
        Expected<TensorType> tensor = toTensorType(each);
        if (!tensor) {
          return kernel.emitOpError() << tensor.error().message();
        }
        for (int64_t size : tensor->shape) {
          if (mlir::failed(verifySize(kernel, size, "type " + toString(*tensor)))) {
            return mlir::failure();
          }
        }
      }
    }
    return mlir::success();
  }

  llvm::LogicalResult verifyCost() {
    for (mlir::NamedAttribute entry : kernel.getCostAttr()
                                          ? kernel.getCostAttr().getValue()
                                          : llvm::ArrayRef<mlir::NamedAttribute>()) {
      llvm::StringRef key = entry.getName();
      if (key != "picoseconds" && key != "bytes" && key != "flops") {
        return kernel.emitOpError()
               << "cost has no '" << key << "': give picoseconds, or bytes and flops";
      }
      auto number = llvm::dyn_cast<mlir::IntegerAttr>(entry.getValue());
      auto text = llvm::dyn_cast<mlir::StringAttr>(entry.getValue());
      Expected<int64_t> size = text ? dim::parse(std::string_view(text.getValue()))
                                    : Expected<int64_t>(number ? number.getInt() : -1);
      if (!size || !dim::provablyAtMost(0, *size)) {
        return kernel.emitOpError()
               << "cost '" << key << "' must be a number that is not negative, or a size as text";
      }
      if (mlir::failed(verifySize(kernel, *size, "its cost"))) {
        return mlir::failure();
      }
    }
    bool isTime = kernel.getCostAttr() && kernel.getCostAttr().contains("picoseconds");
    return kernel.getCostAttr() &&
                   (kernel.getCostAttr().empty() || (isTime && kernel.getCostAttr().size() > 1))
               ? kernel.emitOpError("cost is picoseconds alone, or bytes and flops")
               : mlir::success();
  }

  template <class Op> llvm::LogicalResult verifyLaunch(Op op) {
    for (int64_t size : op.getGrid()) {
      if (mlir::failed(verifySize(op, size, "grid"))) {
        return mlir::failure();
      }
    }
    if constexpr (requires { op.getBlock(); }) {
      return verifySize(op, static_cast<int64_t>(op.getBlock()), "block");
    }
    return mlir::success();
  }

  llvm::LogicalResult verifySources() {
    std::set<std::string> kinds;
    for (mlir::Operation &op : kernel.getSources().front()) {
      if (!llvm::isa<HostSourceOp, PtxSourceOp, CudaSourceOp, SpirvSourceOp>(op)) {
        return op.emitOpError("is no source of a custom kernel");
      }
      if (!kinds.insert(op.getName().getStringRef().str()).second) {
        return op.emitOpError("is the second source of its kind");
      }
      auto result = llvm::TypeSwitch<mlir::Operation *, llvm::LogicalResult>(&op)
                        .Case<PtxSourceOp, CudaSourceOp, SpirvSourceOp>(
                            [&](auto source) { return verifyLaunch(source); })
                        .Default([](mlir::Operation *) { return mlir::success(); });
      if (mlir::failed(result)) {
        return mlir::failure();
      }
    }
    return kinds.empty() ? kernel.emitOpError("has no source") : mlir::success();
  }

  CustomKernelOp kernel;
  std::set<std::string> names;
};

} // namespace

llvm::LogicalResult CustomKernelOp::verifyRegions() {
  return Declaration(*this).verify();
}

/// A func of the module must have this type.
static llvm::LogicalResult verifyFunc(mlir::Operation *op, mlir::SymbolTableCollection &symbols,
                                      mlir::FlatSymbolRefAttr name, mlir::FunctionType type) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(op, name);
  if (!function) {
    return op->emitOpError() << "the module has no func " << name;
  }
  return function.getFunctionType() == type
             ? mlir::success()
             : op->emitOpError() << "func " << name << " has type " << function.getFunctionType();
}

llvm::LogicalResult CustomKernelOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  if (getDecompositionAttr() &&
      mlir::failed(verifyFunc(*this, symbols, getDecompositionAttr(), getType()))) {
    return mlir::failure();
  }
  if (!getGradientAttr()) {
    return mlir::success();
  }
  llvm::SmallVector<mlir::Type> inputs(getType().getInputs());
  llvm::append_range(inputs, getType().getResults());
  auto type = mlir::FunctionType::get(getContext(), inputs, getType().getInputs());
  if (mlir::failed(verifyFunc(*this, symbols, getGradientAttr(), type))) {
    return mlir::failure();
  }
  return mlir::success();
}

//===- Uses -----------------------------------------------------------------------------------===//

/// The types of a use are those of the declaration, with sizes for its dims.
static llvm::LogicalResult verifyUse(CustomOp use, mlir::SymbolTableCollection &symbols) {
  auto name = llvm::cast<mlir::FlatSymbolRefAttr>(use.getCallee());
  auto kernel = symbols.lookupNearestSymbolFrom<CustomKernelOp>(use, name);
  if (!kernel) {
    return use.emitOpError() << "the module has no zyx.custom_kernel " << name;
  }
  Expected<dim::Bindings> dims = bindDims(kernel, use->getOperandTypes());
  if (!dims) {
    return use.emitOpError() << dims.error().message();
  }
  llvm::ArrayRef<mlir::Type> declared = kernel.getType().getResults();
  if (declared.size() != use->getNumResults()) {
    return use.emitOpError() << "kernel " << name << " has " << declared.size() << " results, not "
                             << use->getNumResults();
  }
  for (auto [number, type] : llvm::enumerate(declared)) {
    TensorType bound = *toTensorType(type);
    for (int64_t &size : bound.shape) {
      size = dim::substitute(size, *dims);
    }
    mlir::Type expected = toMlirType(use.getContext(), bound);
    if (expected != use->getResult(number).getType()) {
      return use.emitOpError() << "result " << number << " of kernel " << name << " is " << expected
                               << " here, not " << use->getResult(number).getType();
    }
  }
  return mlir::success();
}

llvm::LogicalResult CustomOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  if (llvm::isa<mlir::StringAttr>(getCallee())) {
    if (mlir::failed(verifyEntry(*this, getFunction()))) {
      return mlir::failure();
    }
  } else if (mlir::failed(verifyUse(*this, symbols))) {
    return mlir::failure();
  }
  return getDecompositionAttr() ? verifyFunc(*this, symbols, getDecompositionAttr(),
                                             mlir::FunctionType::get(
                                                 getContext(), getOperandTypes(), getResultTypes()))
                                : mlir::success();
}

} // namespace zyxc::zyx
