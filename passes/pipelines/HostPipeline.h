// The way of a lowered kernel to the LLVM dialect on the host.
//
// A lowered host kernel is one function of a module,
//   func.func @NAME(%port0: memref<..>, .., %scratch: memref<Bxi8>, %lo: index, %hi: index)
//       attributes {zyxk.num_tasks = N : i64, zyxk.scratch_bytes = B : i64}
// that runs its tasks [lo, hi). Every memref has a static shape and the identity layout, so it is
// passed as a bare pointer; ports are one-dimensional and count elements. Functions without
// `zyxk.num_tasks` are private helpers. A function `@NAME_pack_P` with the attributes
// `zyxk.packs_port = P : i64` and `zyxk.packed_bytes = S : i64` fills the prepared form of port P
// of @NAME: its ports are (source, destination).
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace zyxc {

/// Names of the attributes of lowered host functions.
inline constexpr llvm::StringLiteral numTasksAttrName = "zyxk.num_tasks";
inline constexpr llvm::StringLiteral scratchBytesAttrName = "zyxk.scratch_bytes";
inline constexpr llvm::StringLiteral packsPortAttrName = "zyxk.packs_port";
inline constexpr llvm::StringLiteral packedBytesAttrName = "zyxk.packed_bytes";

/// Rewrites math functions to vector polynomials where those are accurate, and vector operations
/// without a direct LLVM form to simpler ones. Module pass `zyxk-host-expand`.
std::unique_ptr<mlir::Pass> createHostExpandPass();

/// Converts scf, cf, arith, math, index, memref, vector and func to the LLVM dialect, and gives
/// each lowered host function an entry of the kernel ABI: `NAME(ptr args, i64 lo, i64 hi)`, where
/// args holds the addresses of the ports and then of the scratch memory. Module pass
/// `zyxk-host-to-llvm`.
std::unique_ptr<mlir::Pass> createHostToLlvmPass();

/// Lowered kernels (scf, vector, memref) to the LLVM dialect.
void buildHostPipeline(mlir::OpPassManager &passes);

/// Registers both passes and the pipeline `zyxk-host-pipeline` for command line tools.
void registerHostPipeline();

} // namespace zyxc
