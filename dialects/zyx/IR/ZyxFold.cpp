// Folders: constants through the scalar semantics, and identities that hold bit for bit. Only what
// is cheap and always a gain; the e-graph does the rest.
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyx/semantics/Scalar.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include <cstring>

namespace zyxc::zyx {

/// A constant operand as a tensor: one element if it is a splat, all of them if they are few.
struct ConstantOperand {
  Tensor values;
  bool splat = false;
  Scalar at(int64_t i) const {
    size_t offset = (splat ? 0 : static_cast<size_t>(i)) * byteSize(values.dtype());
    return loadScalar(values.dtype(), values.data() + offset);
  }
};

static std::optional<ConstantOperand> constantOperand(mlir::Attribute attr) {
  auto elements = llvm::dyn_cast_or_null<mlir::ElementsAttr>(attr);
  if (!elements) {
    return std::nullopt;
  }
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(elements);
  bool splat = dense && dense.isSplat();
  if (splat) {
    elements = dense.resizeSplat(mlir::RankedTensorType::get({}, dense.getElementType()));
  } else if (elements.getNumElements() > maxInlineElements) {
    return std::nullopt;
  }
  Expected<Tensor> values = toTensor(elements);
  return values ? std::optional(ConstantOperand{*std::move(values), splat}) : std::nullopt;
}

static Scalar evaluateElement(OpKind kind, DType result, llvm::ArrayRef<ConstantOperand> operands,
                              int64_t i) {
  DType dtype = operands[0].values.dtype();
  switch (kind) {
  case OpKind::Select: return operands[0].at(i).i ? operands[1].at(i) : operands[2].at(i);
  case OpKind::Cast: return evalCast(dtype, result, operands[0].at(i));
  default: break;
  }
  return isUnary(kind) ? evalUnary(kind, dtype, operands[0].at(i))
                       : evalBinary(kind, dtype, operands[0].at(i), operands[1].at(i));
}

static mlir::Attribute foldConstants(mlir::Operation *op, OpKind kind,
                                     llvm::ArrayRef<mlir::Attribute> attributes) {
  auto resultType = llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  Expected<TensorType> type = toTensorType(resultType);
  if (!type || type->numElements() == 0) {
    return {};
  }
  llvm::SmallVector<ConstantOperand, 3> operands;
  bool splat = true;
  for (mlir::Attribute attribute : attributes) {
    std::optional<ConstantOperand> operand = constantOperand(attribute);
    if (!operand) {
      return {};
    }
    splat &= operand->splat;
    operands.push_back(std::move(*operand));
  }
  if (!splat && type->numElements() > maxInlineElements) {
    return {};
  }
  Tensor value = Tensor::allocate({type->dtype, splat ? Shape{} : type->shape});
  for (int64_t i = 0; i < value.numElements(); ++i) {
    Scalar element = evaluateElement(kind, type->dtype, operands, i);
    storeScalar(type->dtype, element, value.mutableData() + i * byteSize(type->dtype));
  }
  mlir::ElementsAttr folded = toElementsAttr(op->getContext(), value);
  return splat ? llvm::cast<mlir::DenseElementsAttr>(folded).resizeSplat(resultType) : folded;
}

/// True if attr is a splat of `value`, sign of zero included.
static bool isSplatOf(mlir::Attribute attr, double value) {
  auto dense = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat()) {
    return false;
  }
  std::optional<DType> dtype = toDType(dense.getElementType());
  std::optional<ConstantOperand> operand = constantOperand(attr);
  return dtype && operand && operand->values.identical(Tensor::scalar(*dtype, value));
}

/// The operand that the op returns unchanged because the other is neutral, if so. Exact for every
/// dtype: x + -0.0 and x - 0.0 keep a zero's sign, x + 0.0 does not.
static mlir::Value neutralOperand(mlir::Operation *op, OpKind kind, mlir::Attribute left,
                                  mlir::Attribute right) {
  mlir::Value x = op->getOperand(0);
  mlir::Value y = op->getOperand(1);
  bool floats = llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(x));
  switch (kind) {
  case OpKind::Add: {
    double zero = floats ? -0.0 : 0.0;
    return isSplatOf(right, zero) ? x : isSplatOf(left, zero) ? y : mlir::Value();
  }
  case OpKind::Mul: return isSplatOf(right, 1) ? x : isSplatOf(left, 1) ? y : mlir::Value();
  case OpKind::Or:
  case OpKind::Xor: return isSplatOf(right, 0) ? x : isSplatOf(left, 0) ? y : mlir::Value();
  case OpKind::Sub:
  case OpKind::Shl:
  case OpKind::Shr: return isSplatOf(right, 0) ? x : mlir::Value();
  case OpKind::Div: return isSplatOf(right, 1) ? x : mlir::Value();
  case OpKind::And:
  case OpKind::Max:
  case OpKind::Min: return x == y ? x : mlir::Value();
  default: return {};
  }
}

/// f(f(x)) = x.
static bool isInvolution(OpKind kind) {
  return kind == OpKind::Neg || kind == OpKind::Not;
}

static mlir::Value foldIdentity(mlir::Operation *op, OpKind kind,
                                llvm::ArrayRef<mlir::Attribute> operands) {
  mlir::Value x = op->getOperand(0);
  if (kind == OpKind::Cast) {
    return x.getType() == op->getResult(0).getType() ? x : mlir::Value();
  }
  if (kind == OpKind::Select) {
    mlir::Value ifTrue = op->getOperand(1);
    mlir::Value ifFalse = op->getOperand(2);
    bool always = ifTrue == ifFalse || isSplatOf(operands[0], 1);
    return always ? ifTrue : isSplatOf(operands[0], 0) ? ifFalse : mlir::Value();
  }
  if (isInvolution(kind)) {
    mlir::Operation *inner = x.getDefiningOp();
    return inner && kindOf(inner) == kind ? inner->getOperand(0) : mlir::Value();
  }
  return isBinary(kind) ? neutralOperand(op, kind, operands[0], operands[1]) : mlir::Value();
}

mlir::OpFoldResult foldElementwise(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands) {
  std::optional<OpKind> kind = kindOf(op);
  assert(kind && isElementwise(*kind) && "folds elementwise ops");
  if (mlir::Attribute value = foldConstants(op, *kind, operands)) {
    return value;
  }
  return foldIdentity(op, *kind, operands);
}

// Movement.

static mlir::Attribute moveConstant(mlir::Operation *op, OpKind kind, mlir::Attribute operand) {
  auto resultType = llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!resultType.hasStaticShape()) {
    return {}; // a constant has numbers as sizes
  }
  if (auto resource = llvm::dyn_cast_or_null<mlir::DenseResourceElementsAttr>(operand)) {
    return kind == OpKind::Reshape
               ? mlir::DenseResourceElementsAttr::get(resultType, resource.getRawHandle())
               : mlir::Attribute();
  }
  auto dense = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(operand);
  if (!dense) {
    return {};
  }
  if (kind == OpKind::Reshape) {
    return dense.reshape(resultType);
  }
  if (dense.isSplat() && resultType.getNumElements() > 0) {
    return dense.resizeSplat(resultType);
  }
  Expected<TensorType> type = toTensorType(resultType);
  Expected<Attrs> attrs = attrsOf(op);
  Expected<Tensor> source = toTensor(dense);
  if (!type || !attrs || !source || type->numElements() > maxInlineElements) {
    return {};
  }
  IndexMap map = movementMap(kind, *attrs, source->type(), *type);
  IndexExpr offset = linearize(map.results, source->shape());
  Tensor moved = Tensor::allocate(*type);
  size_t size = byteSize(type->dtype);
  std::vector<int64_t> at(type->shape.size(), 0);
  for (int64_t i = 0; i < moved.numElements(); ++i) {
    std::memcpy(moved.mutableData() + i * size, source->data() + offset.evaluate(at) * size, size);
    for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == type->shape[axis];) {
      at[axis] = 0;
    }
  }
  return toElementsAttr(op->getContext(), moved);
}

/// Rewires an op over one of its own kind to that one's operand.
static bool joinWithOperand(mlir::Operation *op, OpKind kind) {
  mlir::Operation *inner = op->getOperand(0).getDefiningOp();
  if (!inner || kindOf(inner) != kind) {
    return false;
  }
  if (kind == OpKind::Permute) {
    llvm::ArrayRef<int64_t> first = llvm::cast<PermuteOp>(inner).getPerm();
    llvm::SmallVector<int64_t> perm;
    for (int64_t axis : llvm::cast<PermuteOp>(op).getPerm()) {
      perm.push_back(first[axis]);
    }
    llvm::cast<PermuteOp>(op).setPerm(perm);
  }
  op->setOperand(0, inner->getOperand(0));
  return true;
}

static bool changesNothing(mlir::Operation *op) {
  if (op->getOperand(0).getType() != op->getResult(0).getType()) {
    return false;
  }
  auto permute = llvm::dyn_cast<PermuteOp>(op);
  return !permute || llvm::is_sorted(permute.getPerm());
}

mlir::OpFoldResult foldMovement(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands) {
  std::optional<OpKind> kind = kindOf(op);
  assert(kind && isMovement(*kind) && "folds movement ops");
  if (changesNothing(op)) {
    return op->getOperand(0);
  }
  if (mlir::Attribute value = moveConstant(op, *kind, operands[0])) {
    return value;
  }
  return joinWithOperand(op, *kind) ? op->getResult(0) : mlir::OpFoldResult();
}

} // namespace zyxc::zyx
