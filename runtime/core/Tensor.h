// A host tensor: element type, static shape and contiguous row-major bytes. The bytes may be owned,
// shared or a read-only view of a mapped file; copies of a Tensor share them. A tensor knows
// whether its bytes may be written.
#pragma once
#include "runtime/core/DType.h"
#include "runtime/core/Shape.h"
#include "runtime/support/Status.h"
#include <cstddef>
#include <memory>

namespace zyxc {

/// Type of a tensor value.
struct TensorType {
  DType dtype = DType::F32;
  Shape shape;
  bool operator==(const TensorType &) const = default;
  int64_t numElements() const { return zyxc::numElements(shape); }
  /// Symbolic, as the number of elements is, if a dim is.
  size_t byteSize() const;
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
};

/// "f32[2,3]", "f32[N,2 * N]".
std::string toString(const TensorType &type);

class Tensor {
public:
  Tensor() = default;

  /// Uninitialized owned memory, 64-byte aligned. The byte count must be representable.
  static Tensor allocate(TensorType type);
  /// Owned zeros.
  static Tensor zeros(TensorType type);
  /// A view of `data`; `owner` keeps the memory alive. The caller must not write through it.
  static Tensor view(TensorType type, const void *data, std::shared_ptr<const void> owner);
  /// A view of memory that may be written, as that of an allocated tensor may.
  static Tensor writableView(TensorType type, void *data, std::shared_ptr<const void> owner);
  /// A rank-0 tensor from a value, converted to the dtype (integers wrap, floats round).
  static Tensor scalar(DType dtype, double value);
  static Tensor scalarInt(DType dtype, int64_t value);
  /// A 1-D i64 tensor.
  static Tensor fromInts(std::span<const int64_t> values);

  const TensorType &type() const { return tensorType; }
  DType dtype() const { return tensorType.dtype; }
  const Shape &shape() const { return tensorType.shape; }
  int64_t numElements() const { return tensorType.numElements(); }
  size_t byteSize() const { return tensorType.byteSize(); }
  const std::byte *data() const { return bytes; }
  /// True if the bytes may be written: those of all tensors but views of memory that is only read.
  bool isWritable() const { return writable; }
  /// Writable bytes; only where isWritable().
  std::byte *mutableData() const { return const_cast<std::byte *>(bytes); }
  template <class T> const T *as() const { return reinterpret_cast<const T *>(bytes); }
  template <class T> T *asMutable() const { return reinterpret_cast<T *>(mutableData()); }

  /// Element `i` in row-major order as f64 (i64 and u64 beyond 2^53 round).
  double asDouble(int64_t i) const;
  /// Element `i` as i64 (floats truncate toward zero; u64 wraps).
  int64_t asInt(int64_t i) const;
  void setDouble(int64_t i, double value) const;
  void setInt(int64_t i, int64_t value) const;

  /// The same bytes under another shape of as many elements.
  Tensor withShape(Shape shape) const;
  /// True if every element has the same bytes (false for an empty tensor).
  bool isSplat() const;
  /// Hash of type and bytes.
  uint64_t hash() const;
  /// Same type and same bytes (so NaN equals itself and -0.0 differs from 0.0).
  bool identical(const Tensor &other) const;

private:
  TensorType tensorType;
  std::shared_ptr<const void> owner;
  const std::byte *bytes = nullptr;
  bool writable = false;
};

} // namespace zyxc
