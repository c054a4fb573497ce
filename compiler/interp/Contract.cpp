#include "compiler/interp/Elements.h"
#include "compiler/interp/Families.h"
#include "compiler/interp/Products.h"
#include "compiler/interp/Strided.h"

namespace zyxc::interp {

namespace {
/// Labels of one role with their extents and their strides in both operands (0 where absent).
struct Role {
  std::vector<int64_t> labels;
  Shape extents;
  Shape left;
  Shape right;

  int64_t count() const { return numElements(extents); }
};

struct Roles {
  Role batch;   ///< in both operands and the result
  Role rows;    ///< of the left operand only
  Role columns; ///< of the right operand only
  Role summed;  ///< not in the result
};
} // namespace

static bool contains(const std::vector<int64_t> &labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

static Roles classify(const Attrs &attrs, const Tensor &x, const Tensor &y) {
  const std::vector<int64_t> &lhs = attrs.getInts("lhs");
  const std::vector<int64_t> &rhs = attrs.getInts("rhs");
  const std::vector<int64_t> &out = attrs.getInts("out");
  Shape leftStrides = rowMajorStrides(x.shape());
  Shape rightStrides = rowMajorStrides(y.shape());
  Roles roles;
  auto add = [&](Role &role, int64_t label) {
    size_t left = std::find(lhs.begin(), lhs.end(), label) - lhs.begin();
    size_t right = std::find(rhs.begin(), rhs.end(), label) - rhs.begin();
    role.labels.push_back(label);
    role.extents.push_back(left < lhs.size() ? x.shape()[left] : y.shape()[right]);
    role.left.push_back(left < lhs.size() ? leftStrides[left] : 0);
    role.right.push_back(right < rhs.size() ? rightStrides[right] : 0);
  };
  for (int64_t label : out) {
    bool inLeft = contains(lhs, label);
    bool inRight = contains(rhs, label);
    add(inLeft && inRight ? roles.batch : (inLeft ? roles.rows : roles.columns), label);
  }
  // The summed labels in the order of the right operand, so that its rows are read in order.
  for (int64_t label : rhs) {
    if (!contains(out, label)) {
      add(roles.summed, label);
    }
  }
  for (int64_t label : lhs) {
    if (!contains(out, label) && !contains(rhs, label)) {
      add(roles.summed, label);
    }
  }
  return roles;
}

/// Offset of each coordinate of a box with these strides, in row-major order.
static std::vector<int64_t> offsetsOf(const Shape &extents, const Shape &strides) {
  std::vector<int64_t> offsets = {0};
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    std::vector<int64_t> longer;
    longer.reserve(offsets.size() * extents[axis]);
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < extents[axis]; ++i) {
        longer.push_back(offset + i * strides[axis]);
      }
    }
    offsets = std::move(longer);
  }
  return offsets;
}

static bool isContiguous(const std::vector<int64_t> &offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return true;
}

/// Rows of `columns` by `rows` elements of data, gathered into row-major order.
template <class Data>
static void pack(const Data *data, const std::vector<int64_t> &rows,
                 const std::vector<int64_t> &columns, std::vector<Data> &packed) {
  packed.resize(rows.size() * columns.size());
  Data *target = packed.data();
  for (int64_t row : rows) {
    for (int64_t column : columns) {
      *target++ = data[row + column];
    }
  }
}

/// One batch entry: sums [rows, columns] of left rows (contiguous over the summed index).
template <class Data, class Sum>
static void multiply(const Data *left, const std::vector<int64_t> &leftRows, const Data *right,
                     const std::vector<int64_t> &columns, const std::vector<int64_t> &summed,
                     Sum *sums) {
  auto width = static_cast<int64_t>(columns.size());
  auto depth = static_cast<int64_t>(summed.size());
  constexpr int64_t fewColumns = 8;
  if (!isContiguous(summed) && isContiguous(columns) && width >= fewColumns) {
    // Rows of the left operand lie one after the other after packing.
    sumTapsOfRows(static_cast<int64_t>(leftRows.size()), left, depth, std::span(summed), right,
                  width, sums);
    return;
  }
  std::vector<Data> packed;
  std::vector<int64_t> packedColumns = columns;
  if (!isContiguous(summed)) {
    pack(right, columns, summed, packed);
    right = packed.data();
    for (int64_t j = 0; j < width; ++j) {
      packedColumns[j] = j * depth;
    }
  }
  int64_t j = 0;
  for (; j + 4 <= width; j += 4) {
    for (size_t i = 0; i < leftRows.size(); ++i) {
      dotRows<4>(left + i * depth, right, &packedColumns[j], depth, sums + i * width + j);
    }
  }
  for (; j < width; ++j) {
    for (size_t i = 0; i < leftRows.size(); ++i) {
      dotRows<1>(left + i * depth, right, &packedColumns[j], depth, sums + i * width + j);
    }
  }
}

/// The product with axes in the order batch, rows, columns.
template <class Data, class Sum>
static Tensor product(const Roles &roles, const Tensor &x, const Tensor &y, const Attrs &attrs,
                      DType dtype) {
  Shape shape;
  for (const Role *role : {&roles.batch, &roles.rows, &roles.columns}) {
    shape.insert(shape.end(), role->extents.begin(), role->extents.end());
  }
  Tensor result = Tensor::allocate({dtype, shape});
  ElementsAs<Data> left(x);
  ElementsAs<Data> right(y);
  std::vector<int64_t> leftBatch = offsetsOf(roles.batch.extents, roles.batch.left);
  std::vector<int64_t> rightBatch = offsetsOf(roles.batch.extents, roles.batch.right);
  std::vector<int64_t> leftRows = offsetsOf(roles.rows.extents, roles.rows.left);
  std::vector<int64_t> leftSummed = offsetsOf(roles.summed.extents, roles.summed.left);
  std::vector<int64_t> columns = offsetsOf(roles.columns.extents, roles.columns.right);
  std::vector<int64_t> summed = offsetsOf(roles.summed.extents, roles.summed.right);
  auto area = static_cast<int64_t>(leftRows.size() * columns.size());
  std::vector<Sum> sums(area);
  std::vector<Data> packed;
  for (size_t b = 0; b < leftBatch.size(); ++b) {
    pack(left.data() + leftBatch[b], leftRows, leftSummed, packed);
    multiply(packed.data(), leftRows, right.data() + rightBatch[b], columns, summed, sums.data());
    storeSums(result, static_cast<int64_t>(b) * area, area, sums.data(),
              attrs.getDType("accumulate"));
  }
  return result;
}

Tensor contract(const Attrs &attrs, Operands operands, const TensorType &type) {
  Roles roles = classify(attrs, operands[0], operands[1]);
  if (type.numElements() == 0) {
    return Tensor::allocate(type);
  }
  if (roles.summed.count() == 0) {
    return Tensor::zeros(type); // a sum over nothing
  }
  Tensor ordered = withProductTypes(operands[0].dtype(), [&]<class Data, class Sum>(Data *, Sum *) {
    return product<Data, Sum>(roles, operands[0], operands[1], attrs, type.dtype);
  });
  std::vector<int64_t> labels;
  for (const Role *role : {&roles.batch, &roles.rows, &roles.columns}) {
    labels.insert(labels.end(), role->labels.begin(), role->labels.end());
  }
  if (labels == attrs.getInts("out")) {
    return ordered;
  }
  Shape orderedStrides = rowMajorStrides(ordered.shape());
  Shape strides;
  for (int64_t label : attrs.getInts("out")) {
    strides.push_back(
        orderedStrides[std::find(labels.begin(), labels.end(), label) - labels.begin()]);
  }
  Tensor result = Tensor::allocate(type);
  copyStrided(byteSize(type.dtype), type.shape, {ordered.data(), strides},
              {result.mutableData(), rowMajorStrides(type.shape)});
  return result;
}

} // namespace zyxc::interp
