// BLAS libraries with the C interface (CBLAS): which of their functions a plan may call, and how.
// The library is loaded at run time; nothing of it is needed to compile a model.
#pragma once
#include "runtime/core/DType.h"
#include "runtime/library/Product.h"
#include <climits>
#include <span>
#include <string_view>

namespace zyxc::rt {

/// What plans call a library with this interface.
inline constexpr std::string_view blasLibrary = "cblas";

/// The most that an argument of a function may be: they are of type int.
inline constexpr int64_t mostBlasInt = INT_MAX;

/// A function of the library, as kernels use it.
struct BlasFunction {
  enum class Form : uint8_t { MatrixMatrix, MatrixVector };
  std::string_view symbol;
  Form form;
  DType dtype;
  /// Computes tasks [lo, hi) of a product by calls of `function`, whose address `symbol` names.
  /// Arguments that would exceed `most` are divided among several calls.
  void (*run)(const void *function, const Product &product, const uint64_t *matrices, int64_t lo,
              int64_t hi, int64_t most);
  /// The same as the entry of a kernel (rt::KernelFn): its slots are the addresses of a, b and c,
  /// the function's address, and the product's dims.
  void (*entry)(const uint64_t *args, int64_t lo, int64_t hi);
};
std::span<const BlasFunction> blasFunctions();
/// Null if a plan cannot call this function.
const BlasFunction *findBlasFunction(std::string_view symbol);

/// The number of ports of a kernel that is a product: a, b, c.
inline constexpr size_t numProductPorts = 3;

/// Names of files that are tried, in this order, where no library is named.
std::span<const std::string_view> blasFiles();

/// Functions void(int) that set how many threads a library uses: each is called with 1, if it is
/// there. Threads are ours: a product is divided into tasks of the plan, so that all cores work on
/// it, and its result does not depend on their number.
std::span<const std::string_view> blasThreadSetters();

} // namespace zyxc::rt
