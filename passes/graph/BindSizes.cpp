#include "passes/graph/BindSizes.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "passes/graph/InstantiateCustom.h"
#include "passes/graph/Passes.h"
#include <fmt/ranges.h>

namespace zyxc {

#define GEN_PASS_DEF_BINDSIZESPASS
#include "passes/graph/Passes.h.inc"

using namespace zyx;

static void addVariables(mlir::Type type, std::set<std::string> &names) {
  Expected<TensorType> tensor = toTensorType(type);
  for (int64_t size : tensor ? tensor->shape : Shape()) {
    names.merge(dim::variables(size));
  }
}

std::set<std::string> sizeVariables(mlir::func::FuncOp function) {
  std::set<std::string> names;
  for (mlir::Type type : function.getFunctionType().getInputs()) {
    addVariables(type, names);
  }
  function.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      addVariables(type, names);
    }
    if (auto variable = llvm::dyn_cast<VariableOp>(op)) {
      Expected<int64_t> size = dim::parse(std::string_view(variable.getName()));
      names.merge(dim::variables(size ? *size : 0));
    } else if (auto loop = llvm::dyn_cast<LoopOp>(op)) {
      names.merge(dim::variables(static_cast<int64_t>(loop.getLimit())));
    }
  });
  return names;
}

static Status checkSizes(const std::set<std::string> &names, const dim::Bindings &sizes) {
  for (const auto &[name, size] : sizes) {
    if (!names.contains(name)) {
      return makeError(
          ErrorCode::Usage, "the model has no dim '{}'{}", name,
          names.empty() ? ": all of its dims have a size"
                        : fmt::format("; its dims without a size are {}", fmt::join(names, ", ")));
    }
    if (!dim::provablyAtMost(0, size)) {
      return makeError(ErrorCode::Usage, "dim '{}' cannot be {}", name, dim::toString(size));
    }
  }
  return Status::ok();
}

/// Makes a `variable` op whose size is a number a constant.
static void bindVariable(VariableOp variable, const dim::Bindings &sizes) {
  mlir::MLIRContext *context = variable.getContext();
  int64_t size = dim::substitute(*dim::parse(std::string_view(variable.getName())), sizes);
  if (dim::isSymbolic(size)) {
    variable.setName(dim::toString(size));
    return;
  }
  mlir::OpBuilder builder(variable);
  mlir::ElementsAttr value = toElementsAttr(context, Tensor::scalarInt(DType::I64, size));
  auto constant =
      ConstantOp::create(builder, variable.getLoc(), variable.getResult().getType(), value);
  variable.getResult().replaceAllUsesWith(constant.getResult());
  variable.erase();
}

static Status bindBlock(mlir::Block &block, const dim::Bindings &sizes);

static Status bindType(mlir::Value value, const dim::Bindings &sizes) {
  ZYXC_ASSIGN(TensorType type, toTensorType(value.getType()));
  type = zyxc::bindSizes(type, sizes);
  if (!checkedNumElements(type.shape)) {
    return makeError(ErrorCode::Unsupported, "type {} has too many elements", toString(type));
  }
  value.setType(toMlirType(value.getContext(), type));
  return Status::ok();
}

/// An op whose result types nothing else decides: they are bound themselves.
static Status bindResults(mlir::Operation *op, const dim::Bindings &sizes) {
  for (mlir::Value result : op->getResults()) {
    ZYXC_RETURN_IF_ERROR(bindType(result, sizes));
  }
  return Status::ok();
}

static Status bindIf(IfOp op, const dim::Bindings &sizes) {
  ZYXC_RETURN_IF_ERROR(bindBlock(op.getThenRegion().front(), sizes));
  ZYXC_RETURN_IF_ERROR(bindBlock(op.getElseRegion().front(), sizes));
  return bindResults(op, sizes);
}

/// Replaces a loop without iterations, whose region need not be valid at these sizes. False where
/// sizes of its results stay open.
static bool foldLoop(LoopOp op) {
  mlir::OpBuilder builder(op);
  llvm::SmallVector<mlir::Value> values(op.getInits());
  for (mlir::Value row : op.collected()) {
    Expected<TensorType> type = toTensorType(row.getType());
    if (!type || dim::anySymbolic(type->shape)) {
      return false;
    }
    mlir::ElementsAttr zeros = toElementsAttr(op.getContext(), Tensor::zeros(*type));
    values.push_back(ConstantOp::create(builder, op.getLoc(), row.getType(), zeros));
  }
  op.replaceAllUsesWith(values);
  op.erase();
  return true;
}

static Status bindLoop(LoopOp op, const dim::Bindings &sizes) {
  int64_t limit = dim::substitute(static_cast<int64_t>(op.getLimit()), sizes);
  if (dim::provablyLess(limit, 0)) {
    return makeError(ErrorCode::Unsupported, "its limit is {} at these sizes",
                     dim::toString(limit));
  }
  op.setLimit(static_cast<uint64_t>(limit));
  ZYXC_RETURN_IF_ERROR(bindResults(op, sizes));
  if (limit == 0 && foldLoop(op)) {
    return Status::ok();
  }
  for (mlir::Value argument : op.getBody().getArguments()) {
    ZYXC_RETURN_IF_ERROR(bindType(argument, sizes));
  }
  return bindBlock(op.getBody().front(), sizes);
}

/// An op whose result type follows from its operands and attributes.
static Status bindInferred(mlir::Operation *op, OpKind kind, const dim::Bindings &sizes) {
  mlir::MLIRContext *context = op->getContext();
  ZYXC_ASSIGN(Attrs attrs, attrsOf(op));
  attrs = zyxc::bindSizes(attrs, sizes);
  ZYXC_ASSIGN(std::vector<TensorType> operands, operandTypes(op->getOperands()));
  ZYXC_ASSIGN(TensorType type, inferType(kind, attrs, operands));
  for (mlir::NamedAttribute attribute : toMlirAttrs(context, kind, attrs)) {
    op->setAttr(attribute.getName(), attribute.getValue());
  }
  op->getResult(0).setType(toMlirType(context, type));
  return Status::ok();
}

static Status bindOp(mlir::Operation *op, const dim::Bindings &sizes) {
  if (auto branch = llvm::dyn_cast<IfOp>(op)) {
    return bindIf(branch, sizes);
  }
  if (auto loop = llvm::dyn_cast<LoopOp>(op)) {
    return bindLoop(loop, sizes);
  }
  if (llvm::isa<KernelOp, CustomOp, AssignOp, AfterOp>(op)) {
    return bindResults(op, sizes);
  }
  if (auto variable = llvm::dyn_cast<VariableOp>(op)) {
    bindVariable(variable, sizes);
    return Status::ok();
  }
  std::optional<OpKind> kind = kindOf(op);
  if (!kind || op->getNumResults() != 1) {
    return makeError(ErrorCode::Unsupported, "{} is not a zyx op",
                     std::string_view(op->getName().getStringRef()));
  }
  return *kind == OpKind::Constant ? Status::ok() : bindInferred(op, *kind, sizes);
}

static Status bindBlock(mlir::Block &block, const dim::Bindings &sizes) {
  for (mlir::Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    std::string place = locationName(op.getLoc());
    Status status = bindOp(&op, sizes);
    if (!status.isOk()) {
      return std::move(status).withContext(place);
    }
  }
  return Status::ok();
}

Status bindFunction(mlir::func::FuncOp function, const dim::Bindings &sizes) {
  mlir::Block &block = function.getBody().front();
  for (mlir::BlockArgument argument : block.getArguments()) {
    ZYXC_RETURN_IF_ERROR(bindType(argument, sizes));
  }
  ZYXC_RETURN_IF_ERROR(bindBlock(block, sizes));
  function.setFunctionType(mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                                   block.getTerminator()->getOperandTypes()));
  return Status::ok();
}

Status bindSizes(mlir::func::FuncOp function, const dim::Bindings &sizes) {
  ZYXC_RETURN_IF_ERROR(checkSizes(sizeVariables(function), sizes));
  ZYXC_RETURN_IF_ERROR(bindFunction(function, sizes));
  auto module = llvm::dyn_cast<mlir::ModuleOp>(function->getParentOp());
  if (!module) {
    return Status::ok();
  }
  for (auto other : module.getOps<mlir::func::FuncOp>()) {
    if (other != function &&
        !isOfCustomKernel(other)) { // a decomposition: the ops that name it have the same variables
      ZYXC_RETURN_IF_ERROR(bindFunction(other, sizes).withContext("@" + other.getName().str()));
    }
  }
  return Status::ok();
}

namespace {

struct BindSizesPass : impl::BindSizesPassBase<BindSizesPass> {
  using BindSizesPassBase::BindSizesPassBase;

  void runOnOperation() override {
    llvm::FailureOr<mlir::func::FuncOp> function = findModelFunction(getOperation());
    if (mlir::failed(function)) {
      return signalPassFailure();
    }
    dim::Bindings bindings;
    for (llvm::StringRef entry : sizes) {
      auto [name, text] = entry.split('=');
      Expected<int64_t> size = dim::parse(std::string_view(text));
      if (!size) {
        function->emitError() << "sizes: " << size.error().message();
        return signalPassFailure();
      }
      bindings[name.str()] = *size;
    }
    Status status = bindSizes(*function, bindings);
    if (!status.isOk()) {
      function->emitError() << status.message();
      signalPassFailure();
    }
  }
};

} // namespace

} // namespace zyxc
