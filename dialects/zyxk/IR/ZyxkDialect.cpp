#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/zyxk/IR/ZyxkDialect.cpp.inc"
#include "dialects/zyxk/IR/ZyxkEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/zyxk/IR/ZyxkTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/zyxk/IR/ZyxkAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/zyxk/IR/ZyxkOps.cpp.inc"

namespace zyxc::zyxk {

void ZyxkDialect::initialize() {
  // Calls of scalar functions become their ops, which the text of a kernel need not have.
  getContext()->loadDialect<arith::ArithDialect, math::MathDialect>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/zyxk/IR/ZyxkTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/zyxk/IR/ZyxkAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/zyxk/IR/ZyxkOps.cpp.inc"
      >();
}

std::optional<SmallVector<int64_t>> PortType::getStaticShape() const {
  SmallVector<int64_t> sizes;
  for (AffineExpr expr : getShape().getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant) {
      return std::nullopt;
    }
    sizes.push_back(constant.getValue());
  }
  return sizes;
}

AffineMap PortType::getLinearMap() const {
  if (getLayout()) {
    return getLayout();
  }
  MLIRContext *context = getContext();
  AffineExpr offset = getAffineConstantExpr(0, context);
  AffineExpr stride = getAffineConstantExpr(1, context);
  for (int64_t axis = getRank() - 1; axis >= 0; --axis) {
    offset = getAffineDimExpr(axis, context) * stride + offset;
    stride = stride * getShape().getResult(axis);
  }
  return AffineMap::get(getRank(), getShape().getNumSymbols(), offset);
}

PortType PortType::getPlaceholder(MLIRContext *context) {
  return get(context, NoneType::get(context), AffineMap::get(context), PortMode::In, AffineMap(),
             0);
}

/// What a port may hold: signless integers of 8 to 64 bits and floats of 16 to 64 bits.
static bool isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer.getWidth();
    return integer.isSignless() && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
  }
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

LogicalResult PortType::verify(function_ref<InFlightDiagnostic()> emitError, Type elementType,
                               AffineMap shape, PortMode mode, AffineMap layout, int64_t align) {
  if (!isElementType(elementType) && !isa<NoneType>(elementType)) {
    return emitError() << "a port holds signless i8 to i64, f16, bf16, f32 or f64, not "
                       << elementType;
  }
  if (shape.getNumDims() != 0) {
    return emitError() << "the shape of a port can only depend on dims of the kernel";
  }
  int64_t elements = 1;
  for (AffineExpr expr : shape.getResults()) {
    auto size = dyn_cast<AffineConstantExpr>(expr);
    if (size &&
        (size.getValue() < 0 ||
         __builtin_mul_overflow(elements, std::max<int64_t>(size.getValue(), 1), &elements) ||
         elements > (int64_t(1) << 56))) {
      return emitError() << "a port of this shape is too large or has a negative size";
    }
  }
  if (layout && (layout.getNumDims() != shape.getNumResults() || layout.getNumResults() != 1 ||
                 layout.getNumSymbols() != shape.getNumSymbols())) {
    return emitError() << "a layout maps the coordinates of its port to one linear offset";
  }
  if (align < 0 || (align & (align - 1)) != 0) {
    return emitError() << "alignment must be a power of two, not " << align;
  }
  return success();
}

} // namespace zyxc::zyxk
