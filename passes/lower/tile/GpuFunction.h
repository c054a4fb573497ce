// The form of a kernel lowered for a GPU, the same for PTX and SPIR-V: a gpu.module with one
// gpu.func per launch,
//   gpu.module @NAME attributes {zyxk.scratch_bytes = B : i64} {
//     gpu.func @NAME(%port0: memref<Nxf32, #gpu.address_space<global>>, ..,
//                    [%scratch: memref<Bxi8, #gpu.address_space<global>>,] [%map0: !llvm.ptr, ..])
//         kernel attributes {zyxk.launch = 0 : i64, zyxk.grid = array<i64: X, Y, Z>,
//                            known_block_size = array<i32: T, 1, 1>, zyxk.shared_bytes = S : i64,
//                            zyxk.tensor_maps = [{port = .., ..}, ..]}
//   }
// Launches run one after the other, in the order of zyxk.launch. Every launch takes all ports in
// their order (one-dimensional, static, identity layout, elements counted), then the scratch buffer
// if B > 0 (contents undefined), then the address of each of its tensor maps (PTX only, by value
// in the kernel's parameters). Workgroup memory is `memref.alloc` of a static shape in
// #gpu.address_space<workgroup>, at the function's top level; what exceeds 48 KiB, and shared
// memory of tensor maps, is dynamic: S bytes.
#pragma once
#include "llvm/ADT/StringRef.h"

namespace zyxc {

/// On the gpu.module: bytes of the scratch buffer.
inline constexpr llvm::StringLiteral gpuScratchBytesAttrName = "zyxk.scratch_bytes";
/// On the gpu.module (before that on the kernel): an index has 64 bits, not 32. Else it has them
/// where a port has 2 GiB or more.
inline constexpr llvm::StringLiteral wideIndexAttrName = "zyxk.wide_index";
inline constexpr llvm::StringLiteral launchAttrName = "zyxk.launch";
inline constexpr llvm::StringLiteral gridAttrName = "zyxk.grid";
inline constexpr llvm::StringLiteral sharedBytesAttrName = "zyxk.shared_bytes";
/// The number of workgroups that must fit a multiprocessor at a time (i64), which caps the
/// registers of a thread.
inline constexpr llvm::StringLiteral minBlocksAttrName = "zyxk.min_blocks";
/// Unit: the kernel begins with a wait for the launch before it (PTX, griddepcontrol), so that it
/// may be started while that one still runs.
inline constexpr llvm::StringLiteral startsEarlyAttrName = "zyxk.starts_early";
/// Array of dictionaries: port (i64; the number of ports stands for the scratch buffer), offset
/// (i64, bytes, a multiple of 16; absent: 0), dims and box (array<i64>, elements, innermost first),
/// strides (array<i64>, bytes, of dims 1 and up), swizzle (i64, bytes: 0, 32, 64, 128), type (the
/// element type).
inline constexpr llvm::StringLiteral tensorMapsAttrName = "zyxk.tensor_maps";

} // namespace zyxc
