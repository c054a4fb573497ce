#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

#include "dialects/zyx/IR/ZyxDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/zyx/IR/ZyxAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/zyx/IR/ZyxOps.cpp.inc"

namespace zyxc::zyx {

void ZyxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/zyx/IR/ZyxOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/zyx/IR/ZyxAttrs.cpp.inc"
      >();
}

mlir::Operation *ZyxDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value,
                                                 mlir::Type type, mlir::Location location) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type) {
    return nullptr;
  }
  return ConstantOp::create(builder, location, type, elements);
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) {
  return adaptor.getValue();
}

/// The one way to a result type: by kind, attributes and operand types.
static Expected<TensorType> inferFrom(OpKind kind, mlir::ValueRange operands,
                                      mlir::DictionaryAttr attributes) {
  // The type of a constant is in its attribute; its data, maybe large, need not be read.
  if (kind == OpKind::Constant) {
    auto value = attributes.getAs<mlir::ElementsAttr>("value");
    return value ? toTensorType(value.getType())
                 : makeError(ErrorCode::Unsupported, "the value is missing");
  }
  ZYXC_ASSIGN(Attrs attrs, attrsOf(kind, attributes));
  ZYXC_ASSIGN(std::vector<TensorType> types, operandTypes(operands));
  return inferType(kind, attrs, types);
}

/// The text of an error of inferFrom, with the op's name in front.
static std::string describe(OpKind kind, const Status &error) {
  std::string prefix = std::string(name(kind)) + ": ";
  return error.message().starts_with(prefix) ? error.message() : prefix + error.message();
}

llvm::LogicalResult inferResultTypes(llvm::StringRef opName, mlir::MLIRContext *context,
                                     std::optional<mlir::Location> location,
                                     mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                     llvm::SmallVectorImpl<mlir::Type> &types) {
  std::optional<OpKind> kind = parseOpKind(std::string_view(opName.split('.').second));
  assert(kind && "every zyx op has a kind");
  Expected<TensorType> type = inferFrom(*kind, operands, attributes);
  if (!type) {
    return mlir::emitOptionalError(location, describe(*kind, type.error()));
  }
  types.assign(1, toMlirType(context, *type));
  return mlir::success();
}

llvm::LogicalResult verifyResultType(mlir::Operation *op) {
  std::optional<OpKind> kind = kindOf(op);
  assert(kind && "every zyx op has a kind");
  Expected<TensorType> type = inferFrom(*kind, op->getOperands(), op->getAttrDictionary());
  if (!type) {
    return op->emitError(describe(*kind, type.error()));
  }
  mlir::Type inferred = toMlirType(op->getContext(), *type);
  mlir::Type declared = op->getResult(0).getType();
  if (inferred != declared) {
    return op->emitError() << llvm::StringRef(name(*kind)) << ": the result has type " << declared
                           << ", operands and attributes give " << inferred;
  }
  return mlir::success();
}

} // namespace zyxc::zyx
