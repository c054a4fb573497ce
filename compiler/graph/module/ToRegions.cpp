// Calls of an e-graph as the ops with regions, kernels and functions that they came from.
#include "compiler/graph/module/Exporter.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Parser/Parser.h"

namespace zyxc::graph {

llvm::SmallVector<mlir::Type> Exporter::typesOf(llvm::ArrayRef<ClassId> classes) const {
  llvm::SmallVector<mlir::Type> types;
  for (ClassId cls : classes) {
    types.push_back(zyx::toMlirType(builder.getContext(), graph.type(cls)));
  }
  return types;
}

/// Fills an empty region with a graph; its block has arguments of these types, and the graph's
/// inputs are these arguments, then the captures.
Status Exporter::fillRegion(mlir::Region &region, const TensorGraph &body,
                            mlir::TypeRange arguments, mlir::ValueRange captures) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region);
  llvm::SmallVector<mlir::Value> inputs;
  for (mlir::Type type : arguments) {
    inputs.push_back(block->addArgument(type, builder.getUnknownLoc()));
  }
  inputs.append(captures.begin(), captures.end());
  Exporter inner(builder, body, smallestChoice(body));
  ZYXC_ASSIGN(llvm::SmallVector<mlir::Value> results, inner.run(inputs));
  zyx::YieldOp::create(builder, builder.getUnknownLoc(), results);
  return Status::ok();
}

Expected<mlir::Operation *> Exporter::makeIf(const Callee &callee, mlir::ValueRange operands,
                                             mlir::Location location) {
  auto op = zyx::IfOp::create(builder, location, typesOf(callee.results), operands.front());
  mlir::ValueRange captures = operands.drop_front();
  ZYXC_RETURN_IF_ERROR(fillRegion(op.getThenRegion(), *callee.bodies[0], {}, captures));
  ZYXC_RETURN_IF_ERROR(fillRegion(op.getElseRegion(), *callee.bodies[1], {}, captures));
  return op.getOperation();
}

Expected<mlir::Operation *> Exporter::makeLoop(const Callee &callee, mlir::ValueRange operands,
                                               mlir::Location location) {
  mlir::ValueRange inits = operands.slice(1, callee.numCarried);
  auto op = zyx::LoopOp::create(builder, location, typesOf(callee.results), operands.front(), inits,
                                static_cast<uint64_t>(callee.limit));
  llvm::SmallVector<mlir::Type> arguments{zyx::toMlirType(builder.getContext(), {DType::I64, {}})};
  llvm::append_range(arguments, inits.getTypes());
  ZYXC_RETURN_IF_ERROR(fillRegion(op.getBody(), *callee.bodies[0], arguments,
                                  operands.drop_front(1 + callee.numCarried)));
  return op.getOperation();
}

/// The kernel goes into the module under a name of its own.
Expected<mlir::Operation *> Exporter::makeKernel(const Callee &callee, mlir::ValueRange operands,
                                                 mlir::Location location) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
  mlir::OwningOpRef<mlir::ModuleOp> parsed =
      mlir::parseSourceString<mlir::ModuleOp>(callee.text, builder.getContext());
  if (!parsed || !module) {
    return makeError(ErrorCode::Internal, "the text of a kernel cannot be read");
  }
  auto kernel = *parsed->getOps<zyxk::KernelOp>().begin();
  size_t number = llvm::range_size(module.getOps<zyxk::KernelOp>());
  std::string name = fmt::format("given{}", number);
  kernel.setSymName(name);
  kernel->moveBefore(module.getBody(), module.getBody()->end());
  return zyx::KernelOp::create(builder, location, typesOf(callee.results), name, operands)
      .getOperation();
}

/// The declaration, if there is one, goes into the module once.
Expected<mlir::Operation *> Exporter::makeCustom(const Callee &callee, mlir::ValueRange operands,
                                                 mlir::Location location) {
  mlir::Attribute name = builder.getStringAttr(callee.source->entry);
  if (!callee.text.empty()) {
    auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<mlir::ModuleOp>();
    mlir::OwningOpRef<mlir::ModuleOp> parsed =
        mlir::parseSourceString<mlir::ModuleOp>(callee.text, builder.getContext());
    if (!parsed || !module) {
      return makeError(ErrorCode::Internal, "the text of a custom kernel cannot be read");
    }
    auto kernel = *parsed->getOps<zyx::CustomKernelOp>().begin();
    name = mlir::FlatSymbolRefAttr::get(kernel.getSymNameAttr());
    if (!mlir::SymbolTable::lookupSymbolIn(module, kernel.getSymNameAttr())) {
      kernel->moveBefore(module.getBody(), module.getBody()->end());
    }
  }
  return zyx::CustomOp::create(builder, location, typesOf(callee.results), name, operands,
                               mlir::FlatSymbolRefAttr())
      .getOperation();
}

Expected<mlir::Operation *> Exporter::makeCall(const Callee &callee, mlir::ValueRange operands,
                                               mlir::Location location) {
  switch (callee.kind) {
  case Callee::Kind::If: return makeIf(callee, operands, location);
  case Callee::Kind::Loop: return makeLoop(callee, operands, location);
  case Callee::Kind::Kernel: return makeKernel(callee, operands, location);
  case Callee::Kind::Custom: return makeCustom(callee, operands, location);
  }
  return makeError(ErrorCode::Internal, "a call of no kind");
}

} // namespace zyxc::graph
