// Verifiers and canonical forms of the ops with regions.
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "runtime/core/Dim.h"

namespace zyxc::zyx {

mlir::ParseResult parseSize(mlir::OpAsmParser &parser, mlir::IntegerAttr &size) {
  mlir::DenseI64ArrayAttr list;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parseSizes(parser, list)) {
    return mlir::failure();
  }
  if (list.size() != 1) {
    return parser.emitError(place, "one size is needed");
  }
  size = parser.getBuilder().getI64IntegerAttr(list[0]);
  return mlir::success();
}

void printSize(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr size) {
  printSizes(printer, op, mlir::DenseI64ArrayAttr::get(op->getContext(), size.getInt()));
}

static bool isScalar(mlir::Type type, DType dtype) {
  Expected<TensorType> tensor = toTensorType(type);
  return tensor && *tensor == TensorType{dtype, {}};
}

/// Types of the values of a region; an error if it does not end with zyx.yield.
static llvm::FailureOr<mlir::TypeRange> yieldedTypes(mlir::Operation *op, mlir::Region &region) {
  auto yield = llvm::dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield) {
    op->emitOpError("needs regions that end with zyx.yield");
    return mlir::failure();
  }
  return mlir::TypeRange(yield->getOperandTypes());
}

/// The list of types must be the wanted one, of which `what` says what it is.
static llvm::LogicalResult verifyTypes(mlir::Operation *op, llvm::StringRef what,
                                       mlir::TypeRange types, mlir::TypeRange wanted) {
  if (types == wanted) {
    return mlir::success();
  }
  return op->emitOpError() << what << " (" << types << "), needed are (" << wanted << ")";
}

llvm::LogicalResult IfOp::verify() {
  if (!isScalar(getCondition().getType(), DType::Bool)) {
    return emitOpError() << "the condition is " << getCondition().getType() << ", not tensor<i1>";
  }
  for (mlir::Region *region : {&getThenRegion(), &getElseRegion()}) {
    llvm::FailureOr<mlir::TypeRange> types = yieldedTypes(*this, *region);
    if (mlir::failed(types) ||
        mlir::failed(verifyTypes(*this, "a region yields", *types, getResultTypes()))) {
      return mlir::failure();
    }
  }
  return mlir::success();
}

llvm::LogicalResult LoopOp::verify() {
  auto limit = static_cast<int64_t>(getLimit());
  constexpr int64_t most = int64_t(1) << 48; // rt::mostPlanTasks
  if (!dim::isValid(limit) || dim::provablyLess(limit, 0) || dim::provablyLess(most, limit)) {
    return emitOpError() << "the limit is "
                         << (dim::isValid(limit) ? dim::toString(limit) : "no size")
                         << ", not 0 to " << most;
  }
  if (!isScalar(getFirst().getType(), DType::Bool)) {
    return emitOpError() << "the condition is " << getFirst().getType() << ", not tensor<i1>";
  }
  size_t numCarried = getInits().size();
  llvm::SmallVector<mlir::Type> arguments{toMlirType(getContext(), {DType::I64, {}})};
  llvm::append_range(arguments, getInits().getTypes());
  if (mlir::failed(
          verifyTypes(*this, "the region takes", getBody().getArgumentTypes(), arguments))) {
    return mlir::failure();
  }
  llvm::FailureOr<mlir::TypeRange> types = yieldedTypes(*this, getBody());
  if (mlir::failed(types)) {
    return mlir::failure();
  }
  if (types->size() < 1 + numCarried || !isScalar(types->front(), DType::Bool)) {
    return emitOpError() << "the region yields (" << *types
                         << "), needed are tensor<i1> and the carried values";
  }
  mlir::TypeRange carried = types->slice(1, numCarried);
  if (mlir::failed(verifyTypes(*this, "the region carries", carried, getInits().getTypes()))) {
    return mlir::failure();
  }
  llvm::SmallVector<mlir::Type> results(carried);
  for (mlir::Type row : types->drop_front(1 + numCarried)) {
    Expected<TensorType> type = toTensorType(row);
    if (!type) {
      return emitOpError() << type.error().message();
    }
    type->shape.insert(type->shape.begin(), limit);
    if (!checkedNumElements(type->shape)) {
      return emitOpError() << "collects too many elements: " << toString(*type);
    }
    results.push_back(toMlirType(getContext(), *type));
  }
  return verifyTypes(*this, "the results are", getResultTypes(), results);
}

// Canonical forms: regions that run for sure, or never.

/// The value of a condition, if it is a constant.
static std::optional<bool> knownCondition(mlir::Value condition) {
  mlir::DenseElementsAttr value;
  if (!mlir::matchPattern(condition, mlir::m_Constant(&value))) {
    return std::nullopt;
  }
  return value.getSplatValue<bool>();
}

/// An `if` of a constant condition becomes the region that is taken.
static llvm::LogicalResult takeBranch(IfOp op, mlir::PatternRewriter &rewriter) {
  std::optional<bool> holds = knownCondition(op.getCondition());
  if (!holds) {
    return mlir::failure();
  }
  mlir::Block &taken = (*holds ? op.getThenRegion() : op.getElseRegion()).front();
  mlir::Operation *yield = taken.getTerminator();
  llvm::SmallVector<mlir::Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(&taken, op);
  rewriter.replaceOp(op, results);
  return mlir::success();
}

/// A loop that never runs becomes its inits; what it would collect is zero.
static llvm::LogicalResult skipLoop(LoopOp op, mlir::PatternRewriter &rewriter) {
  if (op.getLimit() != 0 && knownCondition(op.getFirst()) != false) {
    return mlir::failure();
  }
  MlirGraphBuilder graph(rewriter, op.getLoc());
  llvm::SmallVector<mlir::Value> results(op.getInits());
  for (mlir::Type rows : op.collected().getTypes()) {
    Expected<TensorType> type = toTensorType(rows);
    if (!type) {
      return mlir::failure();
    }
    results.push_back(graph.valueOf(graph.splat(type->dtype, type->shape, 0)));
  }
  rewriter.replaceOp(op, results);
  return mlir::success();
}

void IfOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(takeBranch);
}

void LoopOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(skipLoop);
}

} // namespace zyxc::zyx
