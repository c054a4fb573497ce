#include "compiler/cost/CostTable.h"
#include <algorithm>

namespace zyxc::cost {

double opWeight(OpKind kind) {
  switch (kind) {
  case OpKind::Div:
  case OpKind::Recip:
  case OpKind::Sqrt:
  case OpKind::Rsqrt: return 4; // one divider, pipelined
  case OpKind::Rem:
  case OpKind::Mod: return 8;
  case OpKind::Softmax: return 20; // inside of attention: maximum, exponential, sum, rescaled sums
  case OpKind::Exp:
  case OpKind::Exp2:
  case OpKind::Log:
  case OpKind::Log2: return 10; // polynomial of degree 5 to 7, range reduction
  case OpKind::Expm1:
  case OpKind::Log1p:
  case OpKind::Sin:
  case OpKind::Cos:
  case OpKind::Tanh:
  case OpKind::Erf: return 14;
  case OpKind::Tan:
  case OpKind::Asin:
  case OpKind::Acos:
  case OpKind::Atan:
  case OpKind::Sinh:
  case OpKind::Cosh:
  case OpKind::Asinh:
  case OpKind::Acosh:
  case OpKind::Atanh: return 20;
  case OpKind::Pow: return 24; // a logarithm and an exponential
  default: return 1;
  }
}

static double padded(int64_t size, int64_t tile) {
  int64_t tiles = (size + tile - 1) / tile;
  return static_cast<double>(tiles * tile);
}

double contractFlops(const CostTable &table, int64_t batch, int64_t rows, int64_t columns,
                     int64_t inner) {
  double straight = padded(rows, table.tileRows) * padded(columns, table.tileColumns);
  double swapped = padded(columns, table.tileRows) * padded(rows, table.tileColumns);
  return 2.0 * static_cast<double>(batch) * static_cast<double>(inner) *
         std::min(straight, swapped);
}

double attentionFlops(const CostTable &table, int64_t batch, int64_t queries, int64_t keys,
                      int64_t depth, int64_t width) {
  double columns = padded(depth, table.tileColumns) + padded(width, table.tileColumns);
  return 2.0 * static_cast<double>(batch) * static_cast<double>(keys) *
         padded(queries, table.lanes) * columns;
}

/// Time of memory and arithmetic that overlap in part.
static double overlapped(const CostTable &table, int64_t bytes, double compute) {
  double memory = static_cast<double>(bytes) * static_cast<double>(table.byte);
  return std::max(memory, compute) + table.exposedShare * std::min(memory, compute);
}

static int64_t launched(const CostTable &table, double time) {
  // A century in picoseconds: sums of many kernels stay representable.
  constexpr double most = 3e15;
  return table.launch + static_cast<int64_t>(std::min(time, most));
}

int64_t estimate(const CostTable &table, const BlasWork &work) {
  double flops = 2.0 * static_cast<double>(work.batch) * static_cast<double>(work.inner);
  double compute = 0;
  if (work.isVector) {
    compute = flops * static_cast<double>(work.rows) *
              (work.isTransposed ? table.blasTransposedVectorFlop : table.blasVectorFlop);
  } else {
    compute = flops * padded(work.rows, table.blasTileRows) *
              padded(work.columns, table.blasTileColumns) * table.blasFlop;
  }
  compute += static_cast<double>(work.packedA) * table.blasPackedA +
             static_cast<double>(work.packedB) * table.blasPackedB;
  compute += static_cast<double>(work.calls) * static_cast<double>(table.blasCall);
  return launched(table, overlapped(table, work.bytes, compute));
}

int64_t estimate(const CostTable &table, const KernelWork &work) {
  double compute = work.scalarOps * table.scalarOp + work.tileOps * table.tileOp +
                   work.contractFlops * table.contractFlop;
  double time = overlapped(table, work.bytes, compute);
  auto alone = static_cast<double>(table.serialTime);
  if (work.isSerial && time > alone) {
    time = alone + table.serialWeight * (time - alone);
  }
  return launched(table, time);
}

} // namespace zyxc::cost
