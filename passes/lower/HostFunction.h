// The form of a lowered host kernel: one function of a module,
//   func.func @NAME(%port0: memref<..>, .., %scratch: memref<Bxi8>, %lo: index, %hi: index)
//       attributes {zyxk.num_tasks = N : i64, zyxk.scratch_bytes = B : i64}
// that runs its tasks [lo, hi). Every memref has a static shape and the identity layout, so it is
// passed as a bare pointer; ports are one-dimensional and count elements. Functions without
// `zyxk.num_tasks` are private helpers. With `zyxk.dims = K : i64` the kernel has K dims without a
// size: they stand behind %scratch as %dim0: index, ..; `zyxk.num_tasks` may then be an affine map
// `()[dims] -> (N)`, and a memref of a port whose size depends on dims has a bound as its shape. A
// number of tasks below 0 is none. A function `@NAME_pack_P` with the attributes
// `zyxk.packs_port = P : i64` and `zyxk.packed_bytes = S : i64` fills the prepared form of port P
// of @NAME: its ports are (source, destination).
// With `zyxk.parts_bytes = S : i64`, memory that all threads share stands before %scratch as
// memref<Sxi8>, its contents undefined at first. @NAME_join with the attribute `zyxk.joins` takes
// the same arguments and is run after all tasks of @NAME.
// With `zyxk.slice_tasks = T : i64` the function does one slice of a batch, in T tasks: it takes no
// dims, and port p of slice s begins `zyxk.slice_bytes`[p] * s behind its address. The entry runs
// over the slices; its tasks are those of all of them. With `zyxk.slice_points = R : i64` a slice
// is R points of the batch, the last one those that are left: %points: index behind %hi says how
// many. The product of the dims is the number of all points.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

inline constexpr llvm::StringLiteral numTasksAttrName = "zyxk.num_tasks";
inline constexpr llvm::StringLiteral scratchBytesAttrName = "zyxk.scratch_bytes";
inline constexpr llvm::StringLiteral packsPortAttrName = "zyxk.packs_port";
inline constexpr llvm::StringLiteral packedBytesAttrName = "zyxk.packed_bytes";
inline constexpr llvm::StringLiteral partsBytesAttrName = "zyxk.parts_bytes";
inline constexpr llvm::StringLiteral joinsAttrName = "zyxk.joins";
inline constexpr llvm::StringLiteral dimsAttrName = "zyxk.dims";
inline constexpr llvm::StringLiteral sliceTasksAttrName = "zyxk.slice_tasks";
inline constexpr llvm::StringLiteral sliceBytesAttrName = "zyxk.slice_bytes";
inline constexpr llvm::StringLiteral slicePointsAttrName = "zyxk.slice_points";

} // namespace zyxc
