// How single ops are written in canonical bytes.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace zyxc {

/// What values are called in the bytes.
using ValueNames = llvm::DenseMap<mlir::Value, std::string>;

/// Ops whose two operands may change places.
bool isCommutative(mlir::Operation *op);

/// What tells an op from others beside operands, axes and maps. Attributes that have their default
/// count as left out.
std::string nameOf(mlir::Operation *op);

/// An op and its operands by name; those of a commutative op are sorted.
std::string plainText(mlir::Operation *op, const ValueNames &names);

/// Writes and names ops level by level: what depends on named values only, sorted. Equal ops are
/// one value; those that have effects stay apart. Names are `prefix`, a number and that of the
/// result.
void writeLevels(llvm::SmallVector<mlir::Operation *> left, llvm::StringRef prefix,
                 ValueNames &names, llvm::function_ref<std::string(mlir::Operation *)> textOf,
                 std::string &bytes);

/// The regions of a fold, whatever the order of their ops.
std::string codeOf(zyxk::FoldOp fold);

} // namespace zyxc
