#include "runtime/library/Product.h"
#include "runtime/core/Dim.h"
#include <bit>

namespace zyxc::rt {

namespace {

/// Places in the list of dims. The scale is the bits of a double in two halves: dims are sizes,
/// whose magnitude is limited.
enum Place : uint8_t {
  Rows,
  Columns,
  Inner,
  RowsPerTask,
  ColumnsPerTask,
  ScaleLow,
  ScaleHigh,
  A,
  B = A + 3,
  C = B + 3,
  NumLoops = C + 3,
  FirstLoop,
};
constexpr size_t dimsPerLoop = 4;

} // namespace

static int64_t numParts(int64_t extent, int64_t perTask) {
  return perTask == 0 ? 1 : dim::ceilDiv(extent, perTask);
}

int64_t Product::numTasks() const {
  int64_t tasks = dim::mul(numParts(rows, rowsPerTask), numParts(columns, columnsPerTask));
  for (const Loop &loop : allLoops()) {
    tasks = dim::mul(tasks, loop.extent);
  }
  return tasks;
}

std::vector<int64_t> toDims(const Product &product) {
  auto bits = std::bit_cast<uint64_t>(product.scale);
  std::vector<int64_t> dims = {product.rows,
                               product.columns,
                               product.inner,
                               product.rowsPerTask,
                               product.columnsPerTask,
                               static_cast<int64_t>(bits & 0xffffffff),
                               static_cast<int64_t>(bits >> 32)};
  for (const Product::Matrix *matrix : {&product.a, &product.b, &product.c}) {
    dims.insert(dims.end(), {matrix->offset, matrix->lead, matrix->transposed ? 1 : 0});
  }
  dims.push_back(static_cast<int64_t>(product.numLoops));
  for (const Product::Loop &loop : product.allLoops()) {
    dims.insert(dims.end(), {loop.extent, loop.a, loop.b, loop.c});
  }
  return dims;
}

Product fromDims(const int64_t *dims) {
  auto matrix = [&](Place at) {
    return Product::Matrix{dims[at], dims[at + 1], dims[at + 2] != 0};
  };
  Product product;
  product.rows = dims[Rows];
  product.columns = dims[Columns];
  product.inner = dims[Inner];
  product.rowsPerTask = dims[RowsPerTask];
  product.columnsPerTask = dims[ColumnsPerTask];
  product.scale = std::bit_cast<double>(static_cast<uint64_t>(dims[ScaleLow]) |
                                        static_cast<uint64_t>(dims[ScaleHigh]) << 32);
  product.a = matrix(A);
  product.b = matrix(B);
  product.c = matrix(C);
  product.numLoops = static_cast<size_t>(dims[NumLoops]);
  const int64_t *loop = dims + FirstLoop;
  for (size_t i = 0; i < product.numLoops; ++i, loop += dimsPerLoop) {
    product.loops[i] = {loop[0], loop[1], loop[2], loop[3]};
  }
  return product;
}

bool isProduct(const std::vector<int64_t> &dims) {
  if (dims.size() < FirstLoop) {
    return false;
  }
  auto isFlag = [&](size_t at) {
    return dims[at] == 0 || dims[at] == 1;
  };
  auto isPart = [&](size_t at) {
    return !dim::isSymbolic(dims[at]) && dims[at] >= 0;
  };
  auto loops = static_cast<uint64_t>(dims[NumLoops]);
  return isFlag(A + 2) && isFlag(B + 2) && dims[C + 2] == 0 && isPart(RowsPerTask) &&
         isPart(ColumnsPerTask) && loops <= Product::mostLoops &&
         dims.size() == FirstLoop + dimsPerLoop * loops;
}

} // namespace zyxc::rt
