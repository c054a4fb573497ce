// The bridge between zyx ops and the MLIR-free world of dialects/zyx/semantics. It is generic: an
// op crosses it by its kind, the kind's attribute table and inferType, never by its C++ class.
#pragma once
#include "dialects/zyx/semantics/Infer.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace zyxc::zyx {

/// Kind of a zyx op; nothing for ops of other dialects.
std::optional<OpKind> kindOf(mlir::Operation *op);
/// "zyx.add": the full name of the op of a kind.
std::string opName(OpKind kind);

/// Element types: i1 is bool, signless i8..i64 are signed, ui8..ui64 unsigned. Nothing if the type
/// is no zyx element type.
std::optional<DType> toDType(mlir::Type elementType);
mlir::Type toMlirElementType(mlir::MLIRContext *context, DType dtype);

/// Type of a ranked tensor with a zyx element type; dynamic dims need their sizes as encoding,
/// `#zyx.dims`. An Unsupported error otherwise.
Expected<TensorType> toTensorType(mlir::Type type);
mlir::RankedTensorType toMlirType(mlir::MLIRContext *context, const TensorType &type);

/// An index expression over dims d0, d1, ... as an affine expression; `sizeExpr` writes the sizes
/// that occur in it.
mlir::AffineExpr toAffineExpr(mlir::MLIRContext *context, const IndexExpr &expr,
                              llvm::function_ref<mlir::AffineExpr(int64_t)> sizeExpr);
/// Index maps both ways. fromAffineMap fails on symbols, and on floordiv and mod by anything but a
/// positive constant. ceildiv becomes floordiv. Maps with symbolic sizes have no affine form.
mlir::AffineMap toAffineMap(mlir::MLIRContext *context, const IndexMap &map);
Expected<IndexMap> fromAffineMap(mlir::AffineMap map);

/// Constants of more elements than this, unless splat, become resources.
inline constexpr int64_t maxInlineElements = 64;
/// A splat attribute of more bytes than this is not expanded into a Tensor.
inline constexpr int64_t maxSplatBytes = int64_t(1) << 31;

/// Value of a constant attribute. One made by toElementsAttr from a large tensor shares that
/// tensor's memory; others are copied. Fails on sparse attributes, resources without data or of a
/// wrong size, and splats over maxSplatBytes.
Expected<Tensor> toTensor(mlir::ElementsAttr attr);
/// Constant attribute of a tensor. Splats and small tensors are stored in the context (dense); a
/// large one becomes a resource that shares and keeps alive the tensor's memory, without a copy.
mlir::ElementsAttr toElementsAttr(mlir::MLIRContext *context, const Tensor &tensor);

/// Attributes of an op by its kind's table; other attributes are ignored. Fails if one is missing
/// or has another type ("permute: attribute 'perm' must be an array of i64").
Expected<Attrs> attrsOf(OpKind kind, mlir::DictionaryAttr attributes);
/// The same for an op; it must be a zyx op.
Expected<Attrs> attrsOf(mlir::Operation *op);
/// The inverse of attrsOf.
mlir::NamedAttrList toMlirAttrs(mlir::MLIRContext *context, OpKind kind, const Attrs &attrs);

/// Types of the operands of an op, or the error of the first that has no TensorType.
Expected<std::vector<TensorType>> operandTypes(mlir::ValueRange operands);

/// Text of a location for messages: the node name of a NameLoc, else "file:line:column" or
/// "unknown".
std::string locationName(mlir::Location location);

} // namespace zyxc::zyx
