// The zyx dialect: tensor graphs with value semantics, without layout and buffers. Its ops are
// declared in the .td files beside; their result types come from dialects/zyx/semantics/Infer.h.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "runtime/core/Tensor.h"
#include <mutex>
#include <optional>

namespace zyxc::zyx {

/// The tensors behind the large constants of one context, by resource key: what lets a constant
/// attribute and a Tensor share memory in both directions. Thread safe.
class SharedTensors {
public:
  /// A key that no other tensor of this context has.
  std::string nextKey();
  void insert(llvm::StringRef key, const Tensor &tensor);
  /// The tensor under a key; nothing for resources that were parsed from text.
  std::optional<Tensor> find(llvm::StringRef key) const;

private:
  mutable std::mutex mutex;
  llvm::StringMap<Tensor> tensors;
  uint64_t counter = 0;
};

/// Result types of the op named `opName` ("zyx.add"), by inferType; called by the ops' generated
/// inferReturnTypes. Emits an error at `location`, if given, when operands or attributes are wrong.
llvm::LogicalResult inferResultTypes(llvm::StringRef opName, mlir::MLIRContext *context,
                                     std::optional<mlir::Location> location,
                                     mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// Verifier of every zyx op: one error if inferType refuses the operands and attributes, or if the
/// declared result type differs from the inferred one.
llvm::LogicalResult verifyResultType(mlir::Operation *op);

/// Lists of sizes in the text of ops: [2, "2 * N"]. Symbolic ones are written as strings.
mlir::ParseResult parseSizes(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &sizes);
void printSizes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI64ArrayAttr sizes);
/// The same for one size: ["2 * N"].
mlir::ParseResult parseSize(mlir::OpAsmParser &parser, mlir::IntegerAttr &size);
void printSize(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr size);

/// The argument of the function whose memory a target of zyx.assign, or what zyx.after reads, is a
/// part of; null if there is none.
mlir::BlockArgument bufferOf(mlir::Value value);

/// Folds an elementwise op (unary, binary, compare, select, cast): small constant operands by the
/// scalar semantics, and identities that hold bit for bit. `operands` are the constant operands.
mlir::OpFoldResult foldElementwise(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);
/// Folds a reshape, permute or expand that changes nothing, chains of two, and small constants.
mlir::OpFoldResult foldMovement(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

} // namespace zyxc::zyx

#include "dialects/zyx/IR/ZyxDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/zyx/IR/ZyxAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/zyx/IR/ZyxOps.h.inc"
