// Tensor elements in the two types that the interpreter computes with: double for floats, 64-bit
// integers for the rest. Loops load and store them in blocks, so that the dtype is decided once a
// block and not once an element.
#pragma once
#include "dialects/zyx/semantics/Scalar.h"
#include "runtime/core/Tensor.h"
#include <algorithm>
#include <vector>

namespace zyxc::interp {

inline constexpr int64_t blockSize = 512;

/// Elements [first, first + count) of a tensor.
void loadBlock(const Tensor &tensor, int64_t first, int64_t count, Scalar *block);
/// Rounds or wraps the block to the tensor's dtype.
void storeBlock(const Tensor &tensor, int64_t first, int64_t count, const Scalar *block);

/// Calls body(first, count) for consecutive blocks of `total` elements.
template <class Body> void forEachBlock(int64_t total, Body body) {
  for (int64_t first = 0; first < total; first += blockSize) {
    body(first, std::min(blockSize, total - first));
  }
}

/// All elements of a tensor as T: float (for float dtypes up to f32), double or uint64_t (integers,
/// sign- or zero-extended). The tensor's own bytes where they are of that type.
template <class T> class ElementsAs {
public:
  explicit ElementsAs(const Tensor &tensor);
  const T *data() const { return converted.empty() ? own.template as<T>() : converted.data(); }

private:
  Tensor own;
  std::vector<T> converted;
};

/// Stores sums that were formed in double or uint64_t: rounded or wrapped to `accumulate`, then
/// converted to the tensor's dtype.
template <class Sum>
void storeSums(const Tensor &tensor, int64_t first, int64_t count, const Sum *sums,
               DType accumulate);

/// Calls body with null pointers of the data type and the sum type in which products of `dtype` are
/// formed.
template <class Body> auto withProductTypes(DType dtype, Body body) {
  if (!isFloat(dtype)) {
    return body(static_cast<uint64_t *>(nullptr), static_cast<uint64_t *>(nullptr));
  }
  return dtype == DType::F64 ? body(static_cast<double *>(nullptr), static_cast<double *>(nullptr))
                             : body(static_cast<float *>(nullptr), static_cast<double *>(nullptr));
}

} // namespace zyxc::interp
