// Memory of a GPU kernel as SPIR-V has it. Ports are 64-bit addresses in push constants (buffer
// device address): an access computes its address and goes through a PhysicalStorageBuffer pointer,
// up to 16 bytes at once. Workgroup and private memory are arrays in variables. Values are given
// and taken as scalars, one a lane; bf16 as i16, i1 as i8 in memory.
#pragma once
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace zyxc {

/// The scalars of a value, one a lane; a vector's lanes are in row-major order.
using Lanes = llvm::SmallVector<mlir::Value, 4>;

/// Push constants of 128 bytes, the least that Vulkan guarantees, hold so many addresses. More are
/// in a table, whose address is then the only push constant.
inline constexpr unsigned maxSpirvArguments = 16;

/// The type of a lane: the element type, i16 for bf16.
mlir::Type laneType(mlir::Type type);

/// The memory of one function: where each memref value lies, and accesses to it.
class SpirvMemory {
public:
  /// `wideIndex`: an index has 64 bits, not 32.
  SpirvMemory(mlir::gpu::GPUModuleOp module, bool wideIndex)
      : module(module), wideIndex(wideIndex) {}

  /// Reads the addresses of `function`'s ports at the builder's place. An error is reported there.
  mlir::LogicalResult bindPorts(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function);
  /// Makes a workgroup variable (memref.alloc) or a private one (memref.alloca).
  mlir::LogicalResult allocate(mlir::OpBuilder &b, mlir::Operation *op, mlir::StringRef function);

  /// A typed view of a port (the scratch buffer) from a byte on; of workgroup memory there is none.
  mlir::LogicalResult view(mlir::OpBuilder &b, mlir::memref::ViewOp op, mlir::Value byteShift);

  /// The lanes that `op` (memref.load, vector.load) reads; `indices` are its indices.
  mlir::FailureOr<Lanes> load(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value memref,
                              mlir::ValueRange indices);
  /// Stores the lanes as `op` (memref.store, vector.store) does.
  mlir::LogicalResult store(mlir::OpBuilder &b, mlir::Operation *op, mlir::Value memref,
                            mlir::ValueRange indices, mlir::ValueRange lanes);
  /// A pointer to one element, for atomics.
  mlir::FailureOr<mlir::Value> elementPointer(mlir::OpBuilder &b, mlir::Operation *op,
                                              mlir::Value memref, mlir::ValueRange indices);

private:
  /// Where a memref value lies.
  struct Place {
    mlir::Value base;     ///< address (i64), or pointer to an array
    bool isGlobal = true; ///< an address
    unsigned group = 1;   ///< elements in one item of the array: 1, 2 or 4
  };
  /// One piece of an access: `lanes` elements from `lane` on, as one memory operation.
  struct Piece {
    unsigned lane, lanes;
    uint64_t alignment; ///< bytes
    bool asWords;       ///< through 32-bit words: elements are narrower
  };

  mlir::FailureOr<Place> place(mlir::Operation *op, mlir::Value memref) const;
  mlir::Value linearIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref,
                          mlir::ValueRange indices) const;
  mlir::Value address(mlir::OpBuilder &b, mlir::Location loc, const Place &place, mlir::Value index,
                      unsigned elementBytes) const;
  mlir::Value itemPointer(mlir::OpBuilder &b, mlir::Location loc, const Place &place,
                          mlir::Value index, unsigned lane, unsigned lanes) const;
  void loadPiece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value address, mlir::Type stored,
                 const Piece &piece, Lanes &lanes) const;
  void storePiece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value address, mlir::Type stored,
                  const Piece &piece, mlir::ValueRange lanes) const;

  mlir::gpu::GPUModuleOp module;
  bool wideIndex;
  llvm::DenseMap<mlir::Value, Place> places;
};

} // namespace zyxc
