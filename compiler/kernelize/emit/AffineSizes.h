// Sizes and index expressions of a program as affine expressions: axes are dims, the program's dims
// are symbols.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include "mlir/IR/AffineExpr.h"
#include "runtime/core/Dim.h"

namespace zyxc::kernelize {

class AffineSizes {
public:
  /// The program must outlive it.
  AffineSizes(mlir::MLIRContext *context, const Program &program)
      : context(context), program(program) {}

  unsigned numDims() const { return static_cast<unsigned>(program.dims.size()); }
  /// The program's dim that is this size.
  unsigned dimOf(int64_t size) const;
  /// An expression over ()[dims].
  mlir::AffineExpr operator()(int64_t size) const;
  /// An expression over (axes and beyond)[dims].
  mlir::AffineExpr operator()(const IndexExpr &expr) const;

private:
  mlir::AffineExpr factorExpr(const dim::Factor &factor) const;

  mlir::MLIRContext *context;
  const Program &program;
};

} // namespace zyxc::kernelize
