// Reading and printing affine expressions whose axes and dims are written by name.
//
// A body op is parsed before the kernel that holds it exists, so its names cannot be looked up at
// once: they are collected in a NameTable, stand in the expression as symbols, and are resolved by
// the kernel's parser (KernelOp.cpp).
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc::zyxk {

/// Names in order of first use; name i is symbol i of the expressions read with the table.
struct NameTable {
  llvm::SmallVector<llvm::StringRef> names;
  unsigned find(llvm::StringRef name);
};

/// What a name stands for, and the number of affine dims that come before the SSA coordinates.
struct NameScope {
  llvm::SmallVector<llvm::StringRef> axes; ///< affine dims
  llvm::SmallVector<llvm::StringRef> dims; ///< affine symbols
};

/// Reads expressions `a * 2 + (b + 1) floordiv 4`. Refused: more than 2000 terms, 200 nested
/// parentheses (also of the text that it is printed as), numbers that could leave 64 bits. SSA
/// operands (`%i`), if `operands` is given, stand as affine dims in order of appearance.
class AffineTextParser {
public:
  using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
  AffineTextParser(mlir::OpAsmParser &parser, NameTable &names, Operands *operands = nullptr)
      : parser(parser), names(names), operands(operands) {}

  mlir::ParseResult parseExpr(mlir::AffineExpr &expr);
  /// `[expr, ..]` as a map with one symbol per name and one dim per SSA operand.
  mlir::ParseResult parseCoordinates(mlir::AffineMap &map);
  /// `expr <= expr and ..` as a set with one symbol per name.
  mlir::ParseResult parseConstraints(mlir::IntegerSet &set);

private:
  mlir::ParseResult parseSum(mlir::AffineExpr &expr);
  mlir::ParseResult parseProduct(mlir::AffineExpr &expr);
  mlir::ParseResult parseAtom(mlir::AffineExpr &expr);
  mlir::ParseResult parseConstraint(llvm::SmallVectorImpl<mlir::AffineExpr> &exprs,
                                    llvm::SmallVectorImpl<bool> &equalities);
  mlir::ParseResult tooLarge(llvm::SMLoc loc);
  mlir::ParseResult combine(char op, mlir::AffineExpr &left, mlir::AffineExpr right);

  mlir::OpAsmParser &parser;
  NameTable &names;
  Operands *operands;
  unsigned depth = 0; ///< parentheses and signs around the current term
  unsigned terms = 0; ///< of the current expression
};

using ErrorFn = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// The map or set read with `names`, over the axes, then the SSA operands, and the dims of `scope`.
mlir::FailureOr<mlir::AffineMap> resolveNames(mlir::AffineMap map,
                                              llvm::ArrayRef<llvm::StringRef> names,
                                              const NameScope &scope, ErrorFn error);
mlir::FailureOr<mlir::IntegerSet> resolveNames(mlir::IntegerSet set,
                                               llvm::ArrayRef<llvm::StringRef> names,
                                               const NameScope &scope, ErrorFn error);

/// Prints an expression; affine dims beyond the axes are SSA coordinates.
void printExpr(llvm::raw_ostream &os, mlir::AffineExpr expr, const NameScope &scope,
               llvm::function_ref<void(unsigned)> printOperand = nullptr);
/// `a >= 1 and b == 0`.
void printConstraints(llvm::raw_ostream &os, mlir::IntegerSet set, const NameScope &scope);

} // namespace zyxc::zyxk
