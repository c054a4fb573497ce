#include "runtime/library/Blas.h"
#include <algorithm>

namespace zyxc::rt {

namespace {

// Values of the C interface's enumerations.
constexpr int rowMajor = 101;
constexpr int noTrans = 111;
constexpr int trans = 112;

template <class T>
using GemmFunction = void (*)(int order, int transA, int transB, int m, int n, int k, T alpha,
                              const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);
template <class T>
using GemvFunction = void (*)(int order, int transA, int m, int n, T alpha, const T *a, int lda,
                              const T *x, int incx, T beta, T *y, int incy);

/// A range of an axis.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

/// Where the parts of a task are.
template <class T> struct Task {
  const T *a;
  const T *b;
  T *c;
  Range rows, columns;
};

/// Elements from the start of a matrix to one of its elements.
int64_t at(const Product::Matrix &matrix, int64_t row, int64_t column) {
  return matrix.transposed ? column * matrix.lead + row : row * matrix.lead + column;
}

int orderOf(const Product::Matrix &matrix) {
  return matrix.transposed ? trans : noTrans;
}

Range part(int64_t number, int64_t extent, int64_t perTask) {
  return perTask == 0 ? Range{0, extent}
                      : Range{number * perTask, std::min(extent, (number + 1) * perTask)};
}

/// Task `number`: parts of columns innermost, then parts of rows, then loops from the last one on.
template <class T>
Task<T> taskOf(const Product &product, const uint64_t *matrices, int64_t number) {
  auto numParts = [](int64_t extent, int64_t perTask) {
    return perTask == 0 ? 1 : (extent + perTask - 1) / perTask;
  };
  auto next = [&](int64_t extent) {
    int64_t digit = number % extent;
    number /= extent;
    return digit;
  };
  Range columns = part(next(numParts(product.columns, product.columnsPerTask)), product.columns,
                       product.columnsPerTask);
  Range rows =
      part(next(numParts(product.rows, product.rowsPerTask)), product.rows, product.rowsPerTask);
  int64_t a = product.a.offset;
  int64_t b = product.b.offset;
  int64_t c = product.c.offset;
  for (size_t i = product.numLoops; i-- > 0;) {
    const Product::Loop &loop = product.loops[i];
    int64_t step = next(loop.extent);
    a += step * loop.a;
    b += step * loop.b;
    c += step * loop.c;
  }
  return {reinterpret_cast<const T *>(matrices[0]) + a,
          reinterpret_cast<const T *>(matrices[1]) + b, reinterpret_cast<T *>(matrices[2]) + c,
          rows, columns};
}

/// Calls f for parts of a range of at most `most` each.
template <class F> void forParts(Range range, int64_t most, F f) {
  for (int64_t begin = range.begin; begin < range.end; begin += most) {
    f(Range{begin, std::min(range.end, begin + most)});
  }
}

/// The argument for the distance of rows. One that is too large is of a matrix of which a call sees
/// one row, so that any distance that is no less than the row will do; so is 0, of no row.
int leadOf(const Product::Matrix &matrix, int64_t row, int64_t most) {
  return static_cast<int>(matrix.lead > most ? row : std::max(matrix.lead, row));
}

/// How many rows of what is stored a call may see.
int64_t mostRows(const Product::Matrix &matrix, int64_t most) {
  return matrix.lead > most ? 1 : most;
}

/// The part of c of a task where there is nothing to sum.
template <class T> void zero(const Product &product, const Task<T> &task) {
  for (int64_t row = task.rows.begin; row < task.rows.end; ++row) {
    for (int64_t column = task.columns.begin; column < task.columns.end; ++column) {
      task.c[row * product.c.lead + column] = T(0);
    }
  }
}

template <class T>
void runGemm(const void *function, const Product &product, const uint64_t *matrices, int64_t lo,
             int64_t hi, int64_t most) {
  auto gemm = reinterpret_cast<GemmFunction<T>>(const_cast<void *>(function));
  const Product::Matrix &a = product.a;
  const Product::Matrix &b = product.b;
  int64_t rowsOfCall = std::min(mostRows(product.c, most), a.transposed ? most : mostRows(a, most));
  int64_t columnsOfCall = b.transposed ? mostRows(b, most) : most;
  int64_t innerOfCall =
      std::min(a.transposed ? mostRows(a, most) : most, b.transposed ? most : mostRows(b, most));
  for (int64_t number = lo; number < hi; ++number) {
    Task<T> task = taskOf<T>(product, matrices, number);
    if (product.inner == 0) {
      zero(product, task);
      continue;
    }
    forParts(task.rows, rowsOfCall, [&](Range rows) {
      forParts(task.columns, columnsOfCall, [&](Range columns) {
        forParts({0, product.inner}, innerOfCall, [&](Range inner) {
          auto m = static_cast<int>(rows.size());
          auto n = static_cast<int>(columns.size());
          auto k = static_cast<int>(inner.size());
          gemm(rowMajor, orderOf(a), orderOf(b), m, n, k, T(product.scale),
               task.a + at(a, rows.begin, inner.begin), leadOf(a, a.transposed ? m : k, most),
               task.b + at(b, inner.begin, columns.begin), leadOf(b, b.transposed ? k : n, most),
               inner.begin == 0 ? T(0) : T(1), task.c + at(product.c, rows.begin, columns.begin),
               leadOf(product.c, n, most));
        });
      });
    });
  }
}

template <class T>
void runGemv(const void *function, const Product &product, const uint64_t *matrices, int64_t lo,
             int64_t hi, int64_t most) {
  auto gemv = reinterpret_cast<GemvFunction<T>>(const_cast<void *>(function));
  const Product::Matrix &a = product.a;
  int64_t rowsOfCall = std::min(mostRows(product.c, most), a.transposed ? most : mostRows(a, most));
  int64_t innerOfCall =
      std::min(mostRows(product.b, most), a.transposed ? mostRows(a, most) : most);
  for (int64_t number = lo; number < hi; ++number) {
    Task<T> task = taskOf<T>(product, matrices, number);
    zero(product, task); // libraries differ in whether beta = 0 reads NaN in y
    forParts(task.rows, rowsOfCall, [&](Range rows) {
      forParts({0, product.inner}, innerOfCall, [&](Range inner) {
        // m and n are those of what is stored.
        auto m = static_cast<int>(a.transposed ? inner.size() : rows.size());
        auto n = static_cast<int>(a.transposed ? rows.size() : inner.size());
        gemv(rowMajor, orderOf(a), m, n, T(product.scale), task.a + at(a, rows.begin, inner.begin),
             leadOf(a, n, most), task.b + inner.begin * product.b.lead, leadOf(product.b, 1, most),
             inner.begin == 0 ? T(0) : T(1), task.c + rows.begin * product.c.lead,
             leadOf(product.c, 1, most));
      });
    });
  }
}

template <class T, auto Run> void entryOf(const uint64_t *args, int64_t lo, int64_t hi) {
  constexpr size_t function = numProductPorts;
  Product product = fromDims(reinterpret_cast<const int64_t *>(args + function + 1));
  Run(reinterpret_cast<const void *>(args[function]), product, args, lo, hi, mostBlasInt);
}

} // namespace

std::span<const BlasFunction> blasFunctions() {
  using Form = BlasFunction::Form;
  static constexpr BlasFunction table[] = {
      {"cblas_sgemm", Form::MatrixMatrix, DType::F32, runGemm<float>,
       entryOf<float, runGemm<float>>},
      {"cblas_dgemm", Form::MatrixMatrix, DType::F64, runGemm<double>,
       entryOf<double, runGemm<double>>},
      {"cblas_sgemv", Form::MatrixVector, DType::F32, runGemv<float>,
       entryOf<float, runGemv<float>>},
      {"cblas_dgemv", Form::MatrixVector, DType::F64, runGemv<double>,
       entryOf<double, runGemv<double>>},
  };
  return table;
}

const BlasFunction *findBlasFunction(std::string_view symbol) {
  std::span<const BlasFunction> table = blasFunctions();
  auto found = std::find_if(table.begin(), table.end(),
                            [&](const BlasFunction &entry) { return entry.symbol == symbol; });
  return found == table.end() ? nullptr : &*found;
}

std::span<const std::string_view> blasFiles() {
  static constexpr std::string_view files[] = {
      "libopenblas.so.0", // Debian's OpenBLAS
      "libopenblas.so",   // as it is built from its sources
      "libcblas.so.3",    // what a distribution's alternatives choose
      "libblas.so.3",     // the same on Debian, where it has the C interface, too
  };
  return files;
}

std::span<const std::string_view> blasThreadSetters() {
  static constexpr std::string_view functions[] = {"openblas_set_num_threads"};
  return functions;
}

} // namespace zyxc::rt
