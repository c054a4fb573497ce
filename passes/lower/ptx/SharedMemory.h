// Dynamic workgroup memory of PTX kernels as i32 addresses, 32-bit index arithmetic on them, and
// the descriptors by which wgmma finds its operands there.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace zyxc {

/// 32-bit unsigned arithmetic; constants are folded.
class I32Math {
public:
  I32Math(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, int64_t b); ///< unsigned
  mlir::Value rem(mlir::Value a, int64_t b); ///< unsigned
  mlir::Value bitAnd(mlir::Value a, int64_t b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, int64_t b);
  mlir::Value shiftLeft(mlir::Value a, int64_t by);
  mlir::Value shiftRight(mlir::Value a, int64_t by); ///< unsigned
  mlir::Value equal(mlir::Value a, int64_t b);       ///< i1
  mlir::Value notEqual(mlir::Value a, int64_t b);    ///< i1
  mlir::Value less(mlir::Value a, mlir::Value b);    ///< i1, unsigned
  mlir::Value less(mlir::Value a, int64_t b);        ///< i1, unsigned
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// As an index, zero-extended, and back.
  mlir::Value toIndex(mlir::Value a);
  mlir::Value fromIndex(mlir::Value a);
  /// As an i64, zero-extended.
  mlir::Value toI64(mlir::Value a);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The address (i32, a multiple of 1024) of the dynamic workgroup memory. Declares it in the
/// gpu.module around the insertion point.
mlir::Value dynamicSharedBase(mlir::OpBuilder &builder, mlir::Location loc);

/// A pointer (!llvm.ptr<3>) to a shared address (i32).
mlir::Value sharedPointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address);
/// A value of a scalar or vector type in shared memory, `offset` bytes from an address, at a
/// multiple of `alignment` bytes.
mlir::Value loadShared(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                       mlir::Value address, unsigned alignment, int32_t offset = 0);
void storeShared(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                 mlir::Value address, unsigned alignment);

/// wgmma's descriptor (i64) of an operand in the 128-byte swizzle at a shared address: rows of 128
/// bytes, eight of them an atom of 1024 bytes. `strideBytes`: from eight rows to the next eight;
/// `leadingBytes`: from one 128-byte column to the next (MN-major operands only).
mlir::Value wgmmaDescriptor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                            int64_t leadingBytes, int64_t strideBytes);
/// The descriptor `bytes` further on, a multiple of 16.
mlir::Value advanceDescriptor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value descriptor,
                              int64_t bytes);

} // namespace zyxc
