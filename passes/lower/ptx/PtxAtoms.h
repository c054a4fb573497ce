// PTX instructions that no MLIR dialect builds as we need them, as llvm.inline_asm: barriers in
// shared memory, TMA, wgmma, mma.sync, ldmatrix, cp.async. Their texts stand in one table
// (PtxAtoms.cpp). Shared memory is addressed by i32 values, global memory by !llvm.ptr.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace zyxc {

/// Every atom with a fixed text; PtxAtoms.cpp holds the text and the constraints of each.
enum class Atom : uint8_t {
  BarrierInit,
  BarrierInitFence,
  BarrierWait,
  BarrierArrive,
  BarrierArriveIf,
  BarrierArriveRemoteIf,
  BarrierExpect,
  BarrierArriveOnCopies,
  MoreRegisters,
  FewerRegisters,
  WgmmaFence,
  WgmmaCommit,
  WgmmaWait,
  NamedSync,
  NamedArrive,
  SyncWarp,
  ProxyFence,
  StoreSharedPair,
  LoadMatrix,
  LoadMatrixTransposed,
  CopyAsync,
  CopyAsyncPart,
  CopyCommit,
  CopyWait,
  PackF16,
  PackBF16,
  Tanh,
  Exp2,
  ShuffleXor,
  VoteAny,
  OpaqueXor,
  ThreadId,
  BlockId,
  GridSize,
};

/// The shape of one wgmma: m64nNk16 with f32 sums of `element` (f16 or bf16) products. An operand
/// in shared memory is K-major, or MN-major if transposed.
struct WgmmaShape {
  unsigned n;
  mlir::Type element;
  bool transposeA = false;
  bool transposeB = false;
  /// 32-bit accumulators of one thread.
  unsigned registers() const { return n / 2; }
};

/// The factors of one wgmma: b by its descriptor (i64), a by one or in four registers (i32).
struct WgmmaFactors {
  llvm::SmallVector<mlir::Value, 4> a;
  mlir::Value b;
  unsigned block = 0; ///< of the accumulators that the product is added to
};

/// Builds atoms at the insertion point of a builder.
class PtxAtoms {
public:
  PtxAtoms(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  // Barriers in shared memory; `bar` is the address of 8 bytes.
  void barrierInit(mlir::Value bar, int64_t count);
  /// After all inits, by the thread that made them, before the workgroup's barrier.
  void barrierInitFence();
  /// Waits until the phase of this parity (i32, 0 or 1) has ended.
  void barrierWait(mlir::Value bar, mlir::Value parity);
  void barrierArrive(mlir::Value bar);
  /// Arrives if `condition` (i1) holds.
  void barrierArriveIf(mlir::Value bar, mlir::Value condition);
  /// Arrives at the same barrier of workgroup `rank` of the cluster.
  void barrierArriveRemoteIf(mlir::Value bar, mlir::Value condition, mlir::Value rank);
  /// Arrives and announces bytes that TMA loads will bring.
  void barrierExpect(mlir::Value bar, int64_t bytes);
  /// Arrives once all earlier copyAsync of this thread have landed; the arrival is one of those
  /// that the barrier counts.
  void barrierArriveOnCopies(mlir::Value bar);

  /// Loads a box of a tensor map (its address, a generic pointer) at `coords` (i32, innermost
  /// first, 1 to 5) to shared memory; completes on `bar`. One thread calls this.
  void tmaLoad(mlir::Value shared, mlir::Value map, mlir::ValueRange coords, mlir::Value bar);

  // Registers of a warpgroup: a multiple of 8 between 24 and 240.
  void moreRegisters(int64_t count);
  void fewerRegisters(int64_t count);

  // wgmma. The accumulators of one chain go through these calls from first to last, and must not be
  // read before the wgmmaWait that returns them.
  void wgmmaFence();
  void wgmmaCommit();
  /// Leaves at most `pending` groups in flight.
  void wgmmaWait(int64_t pending);
  /// As wgmmaWait; the results are readable.
  llvm::SmallVector<mlir::Value> wgmmaWait(int64_t pending,
                                           llvm::ArrayRef<mlir::Value> accumulators);
  /// Both operands in shared memory, by their descriptors (i64). No accumulators: starts at zero.
  llvm::SmallVector<mlir::Value> wgmma(const WgmmaShape &shape,
                                       llvm::ArrayRef<mlir::Value> accumulators, mlir::Value a,
                                       mlir::Value b);
  /// A in four registers (i32, pairs of halves). ptxas 13.0 clobbers such registers if they are
  /// defined outside of the loop that contains the wgmma: define them inside (see opaqueXor).
  llvm::SmallVector<mlir::Value> wgmmaRegisters(const WgmmaShape &shape,
                                                llvm::ArrayRef<mlir::Value> accumulators,
                                                llvm::ArrayRef<mlir::Value> a, mlir::Value b);

  /// A whole group: fence, the products of all `factors` one after the other, commit, and, if
  /// `pending` is given, the wait for all but so many groups. The accumulators are blocks of
  /// shape.registers(), or none: all blocks start at zero. As one asm, since LLVM takes long for
  /// each that has many registers.
  llvm::SmallVector<mlir::Value> wgmmaGroup(const WgmmaShape &shape,
                                            llvm::ArrayRef<mlir::Value> accumulators,
                                            llvm::ArrayRef<WgmmaFactors> factors,
                                            std::optional<int64_t> pending = {});

  // Barriers 0 to 15 of the workgroup, of `threads` threads. Barrier 0 is gpu.barrier's.
  void namedSync(mlir::Value id, int64_t threads);
  void namedArrive(mlir::Value id, int64_t threads);
  void syncWarp();
  /// Makes this thread's stores to shared memory visible to wgmma and TMA.
  void proxyFence();

  /// Two f32 values at `offset` bytes from a shared address, a multiple of 8.
  void storeSharedPair(mlir::Value shared, int64_t offset, mlir::Value first, mlir::Value second);

  /// ldmatrix.x4: four 8x8 tiles of halves, row addresses by lane plus `offset` bytes; `transposed`
  /// turns each tile.
  llvm::SmallVector<mlir::Value> loadMatrix(mlir::Value shared, bool transposed,
                                            int64_t offset = 0);
  /// mma.sync m16n8k16, f32 sums: a has 4, b has 2 registers, the accumulators 4. Several b, with
  /// accumulators of their own, are multiplied by the same a.
  llvm::SmallVector<mlir::Value> mma(mlir::Type element, llvm::ArrayRef<mlir::Value> accumulators,
                                     llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b);

  /// Starts the copy of 16 bytes from a global address (i64), past L1. The offsets are bytes.
  void copyAsync(mlir::Value shared, int64_t sharedOffset, mlir::Value global,
                 int64_t globalOffset);
  /// Starts the copy of the first `bytesRead` (i32) of 16 bytes; zeros follow.
  void copyAsyncPart(mlir::Value shared, int64_t sharedOffset, mlir::Value global,
                     int64_t globalOffset, mlir::Value bytesRead);
  void copyCommit();
  /// Leaves at most `pending` groups of copies in flight.
  void copyWait(int64_t pending);

  /// Two f32 values, rounded to f16 or bf16, in an i32.
  mlir::Value pack(mlir::Type element, mlir::Value low, mlir::Value high);
  mlir::Value tanh(mlir::Value x); ///< f32, by the hardware's approximation
  mlir::Value exp2(mlir::Value x); ///< f32, by the hardware's approximation
  /// The i32 of lane (own lane xor mask).
  mlir::Value shuffleXor(mlir::Value x, int64_t mask);
  /// True (i1) if the condition holds in any lane of the warp.
  mlir::Value voteAny(mlir::Value condition);
  /// x xor y, which no compiler moves or simplifies.
  mlir::Value opaqueXor(mlir::Value x, mlir::Value y);
  // The thread's, the workgroup's number and the number of workgroups (x, i32), read anew by each
  // call: for values that are not to take a register in between, or to have a known bound.
  mlir::Value threadId();
  mlir::Value blockId();
  mlir::Value gridSize();

private:
  /// An atom of the table; the result type may be null.
  mlir::Value emit(Atom atom, mlir::ValueRange operands, mlir::Type result = {});
  mlir::Value emitText(llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange operands,
                       mlir::Type result, bool sideEffects);
  /// An asm with `count` results of one type.
  llvm::SmallVector<mlir::Value> emitMany(llvm::StringRef text, llvm::StringRef constraints,
                                          mlir::ValueRange operands, mlir::Type type,
                                          unsigned count, bool sideEffects);
  llvm::SmallVector<mlir::Value> emitWgmma(const WgmmaShape &shape,
                                           llvm::ArrayRef<mlir::Value> accumulators,
                                           llvm::ArrayRef<mlir::Value> a, mlir::Value b);
  mlir::Value constant(int64_t value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace zyxc
