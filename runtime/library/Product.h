// A batch of matrix products for a function of a BLAS library, as numbers: what the compiler finds
// out and writes into the plan, and what the runtime calls the function with.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zyxc::rt {

/// c = scale * a * b for each point of the loops, where a is [rows, inner], b [inner, columns] and
/// c [rows, columns]. All numbers are sizes, which may be symbolic (runtime/core/Dim.h), until a
/// plan is bound; strides and offsets are in elements.
struct Product {
  /// Where a matrix lies in its port: rows of `lead` elements from element `offset` on. If it is
  /// transposed, what lies there is the transposed matrix. Of a vector `lead` is the distance of
  /// its elements.
  struct Matrix {
    int64_t offset = 0;
    int64_t lead = 1;
    bool transposed = false; ///< never of c
    bool operator==(const Matrix &) const = default;
  };
  /// A loop around the product, and what one step of it is in each matrix.
  struct Loop {
    int64_t extent = 1;
    int64_t a = 0, b = 0, c = 0;
    bool operator==(const Loop &) const = default;
  };
  int64_t rows = 0;
  int64_t columns = 1; ///< 1 of a matrix and a vector
  int64_t inner = 0;
  Matrix a, b, c;
  /// Of the part of c that one task computes, in one call; numbers. 0: all of them.
  int64_t rowsPerTask = 0;
  int64_t columnsPerTask = 0;
  double scale = 1;
  /// More loops no product has: it is read from a plan in each launch, without memory of its own.
  static constexpr size_t mostLoops = 8;
  std::array<Loop, mostLoops> loops = {}; ///< outermost first
  size_t numLoops = 0;

  std::span<const Loop> allLoops() const { return std::span(loops).first(numLoops); }
  /// A size: loops and parts of c. Each task writes its own part of c.
  int64_t numTasks() const;
  bool operator==(const Product &) const = default;
};

/// The dims of a kernel that is a product: its numbers in a fixed order, loops last.
std::vector<int64_t> toDims(const Product &product);
/// Back; `dims` must be what isProduct accepts.
Product fromDims(const int64_t *dims);
/// True if a list of dims, bound or not, has the length and the fixed numbers of a product.
bool isProduct(const std::vector<int64_t> &dims);

} // namespace zyxc::rt
