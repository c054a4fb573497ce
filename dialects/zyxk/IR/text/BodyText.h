// Names in parsed body ops: how KernelOp's parser and the body ops' parsers and printers meet.
#pragma once
#include "dialects/zyxk/IR/text/AffineText.h"

namespace zyxc::zyxk {

/// The names of a kernel's axes and dims. Without a kernel around the op: no names.
NameScope scopeOf(KernelOp kernel);
NameScope scopeAround(mlir::Operation *bodyOp);

/// Resolves the names that the parsers of body ops left behind, for all ops of the kernel.
mlir::LogicalResult resolveBodyNames(mlir::Block &body, const NameScope &scope);

/// Leaves names behind in an op that is being parsed.
void keepNames(mlir::OpAsmParser &parser, mlir::OperationState &result, const NameTable &names);

/// `over [k, c]`: the names go to the table.
mlir::ParseResult parseOver(mlir::OpAsmParser &parser, NameTable &names);
void printOver(mlir::OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<int64_t> axes);
/// `order tree`, if it is there; else `order` stays as it is.
mlir::ParseResult parseOrder(mlir::OpAsmParser &parser, ReduceOrder &order);

/// An axis by its name; one that does not exist as `d7`.
void printAxis(mlir::OpAsmPrinter &printer, int64_t axis, const NameScope &scope);

} // namespace zyxc::zyxk
