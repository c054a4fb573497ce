#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "runtime/core/Dim.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

namespace zyxc::zyx {

std::optional<OpKind> kindOf(mlir::Operation *op) {
  auto [dialect, mnemonic] = op->getName().getStringRef().split('.');
  return dialect == "zyx" ? parseOpKind(std::string_view(mnemonic)) : std::nullopt;
}

std::string opName(OpKind kind) {
  return "zyx." + std::string(name(kind));
}

// Types.

static std::optional<DType> integerDType(mlir::IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  if (type.isSigned()) {
    return std::nullopt; // si8..si64: the dialect writes them signless
  }
  switch (type.getWidth()) {
  case 1: return isUnsigned ? std::nullopt : std::optional(DType::Bool);
  case 2: return isUnsigned ? DType::U2 : DType::I2;
  case 4: return isUnsigned ? DType::U4 : DType::I4;
  case 8: return isUnsigned ? DType::U8 : DType::I8;
  case 16: return isUnsigned ? DType::U16 : DType::I16;
  case 32: return isUnsigned ? DType::U32 : DType::I32;
  case 64: return isUnsigned ? DType::U64 : DType::I64;
  default: return std::nullopt;
  }
}

std::optional<DType> toDType(mlir::Type type) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    return integerDType(integer);
  }
  return llvm::TypeSwitch<mlir::Type, std::optional<DType>>(type)
      .Case([](mlir::Float16Type) { return DType::F16; })
      .Case([](mlir::BFloat16Type) { return DType::BF16; })
      .Case([](mlir::Float32Type) { return DType::F32; })
      .Case([](mlir::Float64Type) { return DType::F64; })
      .Case([](mlir::Float8E4M3FNType) { return DType::F8E4M3FN; })
      .Case([](mlir::Float8E5M2Type) { return DType::F8E5M2; })
      .Case([](mlir::Float4E2M1FNType) { return DType::F4E2M1FN; })
      .Default([](mlir::Type) { return std::nullopt; });
}

mlir::Type toMlirElementType(mlir::MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::F16: return mlir::Float16Type::get(context);
  case DType::BF16: return mlir::BFloat16Type::get(context);
  case DType::F32: return mlir::Float32Type::get(context);
  case DType::F64: return mlir::Float64Type::get(context);
  case DType::F8E4M3FN: return mlir::Float8E4M3FNType::get(context);
  case DType::F8E5M2: return mlir::Float8E5M2Type::get(context);
  case DType::F4E2M1FN: return mlir::Float4E2M1FNType::get(context);
  case DType::Bool:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::U64:
  case DType::I4:
  case DType::U4:
  case DType::I2:
  case DType::U2: break;
  }
  auto signedness = isUnsigned(dtype) ? mlir::IntegerType::Unsigned : mlir::IntegerType::Signless;
  return mlir::IntegerType::get(context, bitWidth(dtype), signedness);
}

static std::string printed(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The sizes of a tensor type, those of dynamic dims from its encoding.
static Expected<Shape> shapeOf(mlir::RankedTensorType type) {
  Shape shape(type.getShape().begin(), type.getShape().end());
  auto dims = llvm::dyn_cast_or_null<DimsAttr>(type.getEncoding());
  llvm::ArrayRef<mlir::StringAttr> sizes =
      dims ? dims.getSizes() : llvm::ArrayRef<mlir::StringAttr>();
  if (sizes.size() != static_cast<size_t>(type.getNumDynamicDims()) ||
      (type.getEncoding() && !dims)) {
    return makeError(ErrorCode::Unsupported,
                     "type {} needs a size for each dynamic dim: tensor<?xf32, #zyx.dims<\"N\">>",
                     printed(type));
  }
  for (int64_t &size : shape) {
    if (mlir::ShapedType::isDynamic(size)) {
      ZYXC_ASSIGN(size, dim::parse(std::string_view(sizes.front().getValue())));
      sizes = sizes.drop_front();
    }
  }
  return shape;
}

Expected<TensorType> toTensorType(mlir::Type type) {
  auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked) {
    return makeError(ErrorCode::Unsupported, "type {} is not a ranked tensor", printed(type));
  }
  ZYXC_ASSIGN(Shape shape, shapeOf(ranked));
  std::optional<DType> dtype = toDType(ranked.getElementType());
  if (!dtype) {
    return makeError(ErrorCode::Unsupported, "type {} has an element type that is not supported",
                     printed(type));
  }
  if (!checkedNumElements(shape)) {
    return makeError(ErrorCode::Unsupported, "type {} has too many elements", printed(type));
  }
  return TensorType{*dtype, std::move(shape)};
}

mlir::RankedTensorType toMlirType(mlir::MLIRContext *context, const TensorType &type) {
  Shape shape = type.shape;
  llvm::SmallVector<mlir::StringAttr> sizes;
  for (int64_t &size : shape) {
    if (dim::isSymbolic(size)) {
      sizes.push_back(mlir::StringAttr::get(context, dim::toString(size)));
      size = mlir::ShapedType::kDynamic;
    }
  }
  mlir::Attribute encoding = sizes.empty() ? mlir::Attribute() : DimsAttr::get(context, sizes);
  return mlir::RankedTensorType::get(shape, toMlirElementType(context, type.dtype), encoding);
}

Expected<std::vector<TensorType>> operandTypes(mlir::ValueRange operands) {
  std::vector<TensorType> types;
  for (mlir::Value operand : operands) {
    ZYXC_ASSIGN(TensorType type, toTensorType(operand.getType()));
    types.push_back(std::move(type));
  }
  return types;
}

// Attributes.

static Status wrongAttribute(OpKind kind, const AttrInfo &attribute, std::string_view expected) {
  return makeError(ErrorCode::Unsupported, "{}: attribute '{}' must be {}", name(kind),
                   attribute.name, expected);
}

static Expected<AttrValue> toAttrValue(OpKind kind, const AttrInfo &attribute,
                                       mlir::Attribute value) {
  switch (attribute.type) {
  case AttrType::Int:
    if (auto number = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value);
        number && number.getType().isSignlessInteger(64)) {
      return AttrValue(number.getInt());
    }
    return wrongAttribute(kind, attribute, "an i64");
  case AttrType::Float:
    if (auto number = llvm::dyn_cast_or_null<mlir::FloatAttr>(value);
        number && number.getType().isF64()) {
      return AttrValue(number.getValueAsDouble());
    }
    return wrongAttribute(kind, attribute, "an f64");
  case AttrType::Ints:
    if (auto array = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(value)) {
      return AttrValue(std::vector<int64_t>(array.asArrayRef().vec()));
    }
    return wrongAttribute(kind, attribute, "an array of i64");
  case AttrType::String:
    if (auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(value)) {
      return AttrValue(text.str());
    }
    return wrongAttribute(kind, attribute, "a string");
  case AttrType::DType:
    if (auto type = llvm::dyn_cast_or_null<mlir::TypeAttr>(value)) {
      if (std::optional<DType> dtype = toDType(type.getValue())) {
        return AttrValue(*dtype);
      }
    }
    return wrongAttribute(kind, attribute, "an element type");
  case AttrType::Tensor:
    if (auto elements = llvm::dyn_cast_or_null<mlir::ElementsAttr>(value)) {
      ZYXC_ASSIGN(Tensor tensor, toTensor(elements));
      return AttrValue(std::move(tensor));
    }
    return wrongAttribute(kind, attribute, "a tensor value");
  case AttrType::Map:
    if (auto map = llvm::dyn_cast_or_null<mlir::AffineMapAttr>(value)) {
      ZYXC_ASSIGN(IndexMap indexMap, fromAffineMap(map.getValue()));
      return AttrValue(std::move(indexMap));
    }
    return wrongAttribute(kind, attribute, "an affine map");
  }
  return makeError(ErrorCode::Internal, "attribute type out of range");
}

Expected<Attrs> attrsOf(OpKind kind, mlir::DictionaryAttr attributes) {
  Attrs attrs;
  for (const AttrInfo &attribute : info(kind).attributes) {
    mlir::Attribute value = attributes.get(llvm::StringRef(attribute.name));
    ZYXC_ASSIGN(AttrValue converted, toAttrValue(kind, attribute, value));
    attrs.set(attribute.name, std::move(converted));
  }
  return attrs;
}

Expected<Attrs> attrsOf(mlir::Operation *op) {
  std::optional<OpKind> kind = kindOf(op);
  assert(kind && "attrsOf is for zyx ops");
  return attrsOf(*kind, op->getAttrDictionary());
}

/// Builds the attribute of each alternative of AttrValue.
struct AttributeMaker {
  mlir::MLIRContext *context;

  mlir::Attribute operator()(int64_t value) const {
    return mlir::IntegerAttr::get(mlir::IntegerType::get(context, 64), value);
  }
  mlir::Attribute operator()(double value) const {
    return mlir::FloatAttr::get(mlir::Float64Type::get(context), value);
  }
  mlir::Attribute operator()(const std::vector<int64_t> &values) const {
    return mlir::DenseI64ArrayAttr::get(context, values);
  }
  mlir::Attribute operator()(const std::string &text) const {
    return mlir::StringAttr::get(context, text);
  }
  mlir::Attribute operator()(DType dtype) const {
    return mlir::TypeAttr::get(toMlirElementType(context, dtype));
  }
  mlir::Attribute operator()(const Tensor &tensor) const { return toElementsAttr(context, tensor); }
  mlir::Attribute operator()(const IndexMap &map) const {
    return mlir::AffineMapAttr::get(toAffineMap(context, map));
  }
};

mlir::NamedAttrList toMlirAttrs(mlir::MLIRContext *context, OpKind kind, const Attrs &attrs) {
  mlir::NamedAttrList list;
  for (const AttrInfo &attribute : info(kind).attributes) {
    const AttrValue *value = attrs.find(attribute.name);
    assert(value && "an op has all attributes of its kind");
    list.append(llvm::StringRef(attribute.name), std::visit(AttributeMaker{context}, *value));
  }
  return list;
}

// Locations.

std::string locationName(mlir::Location location) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    return named.getName().str();
  }
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
    // Without its folder: the same module gives the same text wherever it lies.
    std::string_view path = file.getFilename().getValue();
    return fmt::format("{}:{}:{}", path.substr(path.rfind('/') + 1), file.getLine(),
                       file.getColumn());
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
      fused && !fused.getLocations().empty()) {
    return locationName(fused.getLocations().front());
  }
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    return locationName(call.getCallee());
  }
  return "unknown";
}

} // namespace zyxc::zyx
