#include "dialects/zyx/IR/custom/CustomKernel.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

namespace zyxc::zyx {

CustomKernelOp declarationOf(CustomOp use) {
  auto name = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(use.getCallee());
  return name ? mlir::SymbolTable::lookupNearestSymbolFrom<CustomKernelOp>(use, name) : nullptr;
}

/// The variable that a size is; nothing if it is a number or an expression.
static std::optional<std::string> variableOf(int64_t size) {
  std::string text = dim::isSymbolic(size) ? dim::toString(size) : "";
  return dim::isVariableName(text) ? std::optional(text) : std::nullopt;
}

std::vector<std::string> dimNames(CustomKernelOp kernel) {
  std::vector<std::string> names;
  for (mlir::Type type : kernel.getType().getInputs()) {
    Expected<TensorType> tensor = toTensorType(type);
    for (int64_t size : tensor ? tensor->shape : Shape()) {
      std::optional<std::string> name = variableOf(size);
      if (name && std::find(names.begin(), names.end(), *name) == names.end()) {
        names.push_back(*std::move(name));
      }
    }
  }
  return names;
}

Expected<dim::Bindings> bindDims(CustomKernelOp kernel, mlir::TypeRange operands) {
  llvm::ArrayRef<mlir::Type> declared = kernel.getType().getInputs();
  if (declared.size() != operands.size()) {
    return makeError(ErrorCode::Input, "kernel @{} takes {} operands, not {}",
                     kernel.getSymName().str(), declared.size(), operands.size());
  }
  dim::Bindings bindings;
  for (auto [own, given] : llvm::zip_equal(declared, operands)) {
    ZYXC_ASSIGN(TensorType ownType, toTensorType(own));
    ZYXC_ASSIGN(TensorType givenType, toTensorType(given));
    for (size_t axis = 0; axis < std::min(ownType.shape.size(), givenType.shape.size()); ++axis) {
      if (std::optional<std::string> name = variableOf(ownType.shape[axis])) {
        bindings.emplace(*std::move(name), givenType.shape[axis]);
      }
    }
  }
  for (auto [number, own] : llvm::enumerate(declared)) {
    ZYXC_ASSIGN(TensorType type, toTensorType(own));
    ZYXC_ASSIGN(TensorType given, toTensorType(operands[number]));
    TensorType bound = type;
    for (int64_t &size : bound.shape) {
      size = dim::substitute(size, bindings);
    }
    if (bound != given) {
      return makeError(ErrorCode::Input, "operand {} of kernel @{} is {}, but it takes {}", number,
                       kernel.getSymName().str(), toString(given), toString(type));
    }
  }
  return bindings;
}

/// The text of a source: its lines joined.
static std::string textOf(mlir::Attribute text) {
  if (auto whole = llvm::dyn_cast_or_null<mlir::StringAttr>(text)) {
    return whole.str();
  }
  std::string joined;
  for (mlir::Attribute line : llvm::cast<mlir::ArrayAttr>(text)) {
    joined += llvm::cast<mlir::StringAttr>(line).str() + "\n";
  }
  return joined;
}

namespace {

/// Fills a CustomSource from the op of a source.
class SourceReader {
public:
  explicit SourceReader(const dim::Bindings &dims) : dims(dims) {}

  Expected<CustomSource> read(mlir::Operation *op) const {
    return llvm::TypeSwitch<mlir::Operation *, Expected<CustomSource>>(op)
        .Case([](HostSourceOp host) {
          CustomSource source;
          source.entry = host.getEntry().str();
          return Expected<CustomSource>(std::move(source));
        })
        .Case([&](PtxSourceOp ptx) { return ofCuda(ptx, CustomSource::Form::Ptx); })
        .Case([&](CudaSourceOp cuda) { return ofCuda(cuda, CustomSource::Form::CudaCpp); })
        .Case([&](SpirvSourceOp spirv) { return ofGpu(spirv, CustomSource::Form::Spirv); });
  }

private:
  template <class Op> Expected<CustomSource> ofGpu(Op op, CustomSource::Form form) const {
    CustomSource source;
    source.form = form;
    source.entry = op.getEntry().str();
    if (!op.getTextAttr()) {
      return makeError(ErrorCode::Input,
                       "the file '{}' of its source was not read: load the module with zyxc",
                       op.getFile().value_or("").str());
    }
    source.code = textOf(op.getTextAttr());
    for (auto [axis, size] : llvm::enumerate(op.getGrid())) {
      source.grid[axis] = dim::substitute(size, dims);
    }
    return source;
  }

  template <class Op> Expected<CustomSource> ofCuda(Op op, CustomSource::Form form) const {
    ZYXC_ASSIGN(CustomSource source, ofGpu(op, form));
    source.block = dim::substitute(static_cast<int64_t>(op.getBlock()), dims);
    source.sharedBytes = static_cast<int64_t>(op.getShared());
    return source;
  }

  const dim::Bindings &dims;
};

} // namespace

/// The source for a target; null: there is none.
static mlir::Operation *findSource(CustomKernelOp kernel, CustomSource::Target target) {
  mlir::Block &block = kernel.getSources().front();
  auto first = [&](auto isIt) -> mlir::Operation * {
    auto found = llvm::find_if(block, isIt);
    return found == block.end() ? nullptr : &*found;
  };
  auto is = []<class Op>() {
    return [](mlir::Operation &op) {
      return llvm::isa<Op>(op);
    };
  };
  switch (target) {
  case CustomSource::Target::Host: return first(is.operator()<HostSourceOp>());
  case CustomSource::Target::Vulkan: return first(is.operator()<SpirvSourceOp>());
  case CustomSource::Target::Cuda: break;
  }
  mlir::Operation *ptx = first(is.operator()<PtxSourceOp>());
  return ptx ? ptx : first(is.operator()<CudaSourceOp>());
}

/// A number, or the text of a size, of a cost; -1 if there is none.
static int64_t costOf(mlir::DictionaryAttr cost, llvm::StringRef what, const dim::Bindings &dims) {
  mlir::Attribute value = cost.get(what);
  if (auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value)) {
    return number.getInt();
  }
  auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(value);
  return text ? dim::substitute(*dim::parse(std::string_view(text.getValue())), dims) : -1;
}

Expected<std::optional<CustomSource>> sourceFor(CustomOp use, CustomSource::Target target) {
  CustomKernelOp kernel = declarationOf(use);
  if (!kernel) {
    CustomSource source;
    source.kernel = source.entry = use.getFunction().str();
    return target == CustomSource::Target::Host ? std::optional(std::move(source)) : std::nullopt;
  }
  mlir::Operation *op = findSource(kernel, target);
  if (!op) {
    return std::optional<CustomSource>();
  }
  ZYXC_ASSIGN(dim::Bindings dims, bindDims(kernel, use->getOperandTypes()));
  ZYXC_ASSIGN(CustomSource source, SourceReader(dims).read(op));
  source.kernel = kernel.getSymName().str();
  for (const std::string &name : dimNames(kernel)) {
    source.dims.push_back(dims.at(name));
  }
  if (mlir::DictionaryAttr cost = kernel.getCostAttr()) {
    source.cost = {costOf(cost, "picoseconds", dims), costOf(cost, "bytes", dims),
                   costOf(cost, "flops", dims)};
  }
  return std::optional(std::move(source));
}

std::string describeSources(CustomKernelOp kernel) {
  std::string text;
  for (mlir::Operation &op : kernel.getSources().front()) {
    llvm::StringRef kind = op.getName().stripDialect();
    kind.consume_back("_source");
    text += fmt::format("{}{} '{}'", text.empty() ? "" : ", ", kind.str(),
                        op.getAttrOfType<mlir::StringAttr>("entry").str());
  }
  return text;
}

} // namespace zyxc::zyx
