// What a kernel costs before it has been measured: a roofline over one table of constants. All
// costs are integer picoseconds, so sums, ties and bounds are exact on every machine.
#pragma once
#include "dialects/zyx/semantics/OpKind.h"
#include <cstdint>

namespace zyxc::cost {

/// The constants of the roofline: one core of a current x86-64 server with AVX2 or AVX-512.
struct CostTable {
  /// Starting one kernel: a pool wake-up, argument set-up, cold instruction cache.
  int64_t launch = 2'000'000;
  /// Moving one byte between memory and registers, streaming: about 16 GB/s a core.
  int64_t byte = 60;
  /// One multiply-add counted as two flops inside a packed register tile: about 80 GFLOP/s a core.
  double contractFlop = 12.5;
  /// One simple vectorized op on one element (8 lanes, two ports, loads included).
  double scalarOp = 40;
  /// The same on a finished tile of a contraction: its elements are in registers already.
  double tileOp = 10;
  /// Work of one quasi-affine coordinate with a division, against a simple op: it breaks vectors.
  double divisionWeight = 8;
  /// Work of one guarded value, against a simple op: lanes inside of the set need no test.
  double guardWeight = 0.25;
  /// Memory and arithmetic overlap, but not fully: the smaller one counts by this share.
  double exposedShare = 0.3;
  /// A kernel that is one task uses one core, where others use all: what it takes beyond this many
  /// picoseconds (below which threads bring little) counts so often.
  int64_t serialTime = 50'000'000;
  double serialWeight = 2;
  /// Register tile that contractions are padded to.
  int64_t tileRows = 6;
  int64_t tileColumns = 16;
  /// Lanes of a vector. Those of attention's scores are queries: fewer queries leave lanes idle,
  /// and what is loaded for each query and key is gathered.
  int64_t lanes = 8;
  double gatherWeight = 10;
  /// Products by a BLAS library, on one thread: OpenBLAS 0.3.21 on a processor with AVX2, measured
  /// beside our kernels, whose flop is `contractFlop`, with the command in docs/libraries.md.
  /// A call is found in the plan, checks its arguments, takes a buffer.
  int64_t blasCall = 600'000;
  /// One flop of a matrix product whose operands are packed.
  double blasFlop = 11.5;
  /// Packing one element, which each call does anew: of a across its rows, of b along them.
  double blasPackedA = 150;
  double blasPackedB = 100;
  /// Register tile that matrix products are padded to.
  int64_t blasTileRows = 4;
  int64_t blasTileColumns = 8;
  /// One flop of a matrix times a vector. A transposed matrix adds to all of the result in each
  /// row.
  double blasVectorFlop = 36;
  double blasTransposedVectorFlop = 45;
  /// What LibraryUse::Always makes the flops of our own contractions cost.
  double refusedFlop = 1e6;
  /// Prepared work runs once at load: its cost only decides between equals.
  int64_t prepareShare = 1024;
};

/// What a kernel does, counted.
struct KernelWork {
  int64_t bytes = 0;        ///< read and written
  double scalarOps = 0;     ///< weighted by opWeight
  double tileOps = 0;       ///< the same, over the result of a contraction
  double contractFlops = 0; ///< tile padding included
  bool isSerial = false;    ///< cannot be divided among threads
};

/// Work of one element of an elementwise op or reduction step against an addition.
double opWeight(OpKind kind);

/// Flops of a contraction of these sizes, padded to the register tile the better way round.
double contractFlops(const CostTable &table, int64_t batch, int64_t rows, int64_t columns,
                     int64_t inner);

/// Flops of both products of attention: queries are padded to vectors, columns of the values to
/// tiles; a tile of scores over few columns costs what its stores do.
double attentionFlops(const CostTable &table, int64_t batch, int64_t queries, int64_t keys,
                      int64_t depth, int64_t width);

/// Calls of a BLAS library that are one launch, counted.
struct BlasWork {
  int64_t calls = 1;
  int64_t batch = 1; ///< products of these sizes, each one call or several
  int64_t rows = 1, columns = 1, inner = 1;
  int64_t packedA = 0; ///< elements of each operand that the calls pack
  int64_t packedB = 0;
  bool isVector = false;     ///< by the function for a matrix and a vector
  bool isTransposed = false; ///< that matrix
  int64_t bytes = 0;         ///< read and written
};

/// Estimated time of that launch on one core, in picoseconds.
int64_t estimate(const CostTable &table, const BlasWork &work);

/// Estimated time of one launch on one core, in picoseconds.
int64_t estimate(const CostTable &table, const KernelWork &work);

} // namespace zyxc::cost
