// Writes zyx ops for an importer: errors of user input are kept instead of asserted, and every
// value can be computed at import where it depends on constants and sizes only (shapes, axes,
// pads).
#pragma once
#include "compiler/import/node/SizeValue.h"
#include "dialects/zyx/semantics/RegionBuilder.h"
#include <fmt/ranges.h>
#include <functional>
#include <unordered_map>

namespace zyxc::importer {

/// "2x3", for messages.
inline std::string shapeText(std::span<const int64_t> shape) {
  return toString(shape);
}

/// A size as an operand: a number or an expression over open dims.
struct Size {
  int64_t value;
};

/// A region that was written: it goes to GraphWriter::branch, loop or splice, once.
struct WrittenRegion {
  RegionBuilder::Region region;
  std::vector<GraphValue> yielded;
  std::vector<TensorType> types; ///< of what it yields
  int64_t numOps = 0;            ///< without constants
  bool isElementwise = true;     ///< no op but elementwise ones and movements
};

/// Writes the ops of a region for its arguments and gives what it yields.
using RegionBody = std::function<Expected<std::vector<GraphValue>>(std::span<const GraphValue>)>;

/// What happens to slices of open axes whose ends may leave the axis: they are clamped, as ONNX
/// says, or assumed to lie within it, so that the slice is refused at run time where they do not. A
/// table of 512 rows cut to N of them has min(512, N) rows or N.
enum class OpenSlices : uint8_t { Clamped, Assumed };

/// Keeps the first error. After one, an op returns its first operand (of a valid type), so that
/// code which writes several ops needs one check at its end.
class GraphWriter {
public:
  explicit GraphWriter(RegionBuilder &sink, OpenSlices slices = OpenSlices::Clamped)
      : slices(slices), sink(sink) {}

  const TensorType &typeOf(GraphValue value) const { return sink.typeOf(value); }
  const Shape &shapeOf(GraphValue value) const { return typeOf(value).shape; }
  DType dtypeOf(GraphValue value) const { return typeOf(value).dtype; }

  /// Ok, or the first error since the last call.
  Status takeStatus();
  void fail(Status error);

  /// Whether two sizes are equal for all values of the open dims. Where they are if a variable has
  /// a certain size, that is asked for (equality) and kept as an error; where that is not known, an
  /// error names both. Two numbers that differ are no error here.
  bool agree(int64_t a, int64_t b);
  /// The same for each axis; false for different ranks.
  bool agree(const Shape &a, const Shape &b);
  /// A variable and its size that the ops so far need: the import begins again with it.
  const std::optional<std::pair<std::string, int64_t>> &equality() const { return needed; }

  /// What slices of open axes do.
  const OpenSlices slices;
  /// Notes a slice that would have another size or start if it was assumed to lie within its axis.
  void noteClampedSlice() { clampedSlices = true; }
  bool hasClampedSlices() const { return clampedSlices; }

  /// Names a value of the sink as a graph input.
  void addInput(GraphValue value, std::string name);

  GraphValue op(OpKind kind, std::span<const GraphValue> operands, Attrs attrs = {});
  GraphValue op(OpKind kind, std::initializer_list<GraphValue> operands, Attrs attrs = {}) {
    return op(kind, std::span(operands.begin(), operands.size()), std::move(attrs));
  }
  GraphValue constant(Tensor value) {
    return op(OpKind::Constant, {}, Attrs{{"value", std::move(value)}});
  }
  /// A number as a tensor of a dtype and shape, or of those of `like`.
  GraphValue splat(DType dtype, const Shape &shape, double value);
  GraphValue like(GraphValue x, double value) { return splat(dtypeOf(x), shapeOf(x), value); }
  GraphValue splat(DType dtype, const Shape &shape, Size value) {
    return broadcast(scalar(dtype, value), shape);
  }
  GraphValue like(GraphValue x, Size value) { return splat(dtypeOf(x), shapeOf(x), value); }
  /// A size as a tensor of rank 0.
  GraphValue scalar(DType dtype, Size value);
  /// Sizes as an i64 vector.
  GraphValue vector(std::span<const int64_t> sizes);
  GraphValue cast(GraphValue x, DType dtype);
  GraphValue reshape(GraphValue x, Shape shape);
  GraphValue permute(GraphValue x, std::vector<int64_t> perm);
  /// The common shape of two by NumPy's rule; an open size and another one are made equal.
  Expected<Shape> broadcastShape(std::span<const int64_t> a, std::span<const int64_t> b);
  /// x broadcast to shape by NumPy's rule.
  GraphValue broadcast(GraphValue x, const Shape &shape);
  /// Both operands broadcast to their common shape.
  std::pair<GraphValue, GraphValue> broadcastPair(GraphValue x, GraphValue y);
  /// A vector along one axis of a shape of this rank, as [1,..,n,..,1].
  GraphValue alongAxis(GraphValue vector, int64_t axis, int64_t rank);
  GraphValue pad(GraphValue x, std::vector<int64_t> low, std::vector<int64_t> high,
                 GraphValue value);
  /// Element i of each axis is x[start + i * step].
  GraphValue narrow(GraphValue x, Shape starts, Shape sizes, Shape steps);
  /// `size` elements of one axis from `start` on, `step` apart.
  GraphValue slice(GraphValue x, int64_t axis, int64_t start, int64_t size, int64_t step = 1);
  /// Element i of an axis; the axis is dropped.
  GraphValue entry(GraphValue x, int64_t axis, int64_t i);
  /// Values joined along an axis; at least one.
  GraphValue concat(std::span<const GraphValue> values, int64_t axis);
  /// Values of one shape joined along a new axis; at least one.
  GraphValue stack(std::span<const GraphValue> values, int64_t axis);
  /// result[i0..ik] = x[i0..index[i0..ik]..ik]; the index is i64 and in range, its shape that of x
  /// but for the axis.
  GraphValue gatherAlong(GraphValue x, GraphValue index, int64_t axis);
  GraphValue gather(GraphValue x, GraphValue index, int64_t axis) {
    return op(OpKind::Gather, {x, index}, {{"axis", axis}});
  }
  GraphValue matmul(GraphValue x, GraphValue y) { return op(OpKind::Matmul, {x, y}); }
  GraphValue reduce(OpKind kind, GraphValue x, const std::vector<int64_t> &axes, bool keepDims);
  /// Mean over axes. Narrow floats are summed and divided in f32.
  GraphValue mean(GraphValue x, const std::vector<int64_t> &axes, bool keepDims);
  GraphValue select(GraphValue condition, GraphValue x, GraphValue y) {
    return op(OpKind::Select, {condition, x, y});
  }
  /// i64 coordinates along an axis of a shape.
  GraphValue iota(const Shape &shape, int64_t axis, DType dtype = DType::I64);

  /// A region by what `body` writes. Nothing is left of one that fails: other ops can stand for it.
  /// `what` says in errors where the values of its arguments come from.
  Expected<WrittenRegion> region(std::span<const TensorType> arguments, const std::string &what,
                                 const RegionBody &body);
  /// The ops of a region, here; the values that it yields.
  std::vector<GraphValue> splice(const WrittenRegion &region);
  /// Results of zyx.if; the condition is a bool of rank 0, both regions yield the same types.
  std::vector<GraphValue> branch(GraphValue condition, const WrittenRegion &taken,
                                 const WrittenRegion &other);
  /// Results of zyx.loop: the carried values, then the collected ones. Unsupported where the body
  /// changes the type of what it carries, or collects too much.
  Expected<std::vector<GraphValue>> loop(int64_t limit, GraphValue first,
                                         std::span<const GraphValue> inits,
                                         const WrittenRegion &body);

  // Elementwise operators on operands of equal dtype; shapes are broadcast.
  GraphValue binary(OpKind kind, GraphValue x, GraphValue y);
  GraphValue binary(OpKind kind, GraphValue x, double y) { return op(kind, {x, like(x, y)}); }
  GraphValue binary(OpKind kind, GraphValue x, Size y) { return op(kind, {x, like(x, y)}); }
  GraphValue add(GraphValue x, GraphValue y) { return binary(OpKind::Add, x, y); }
  GraphValue sub(GraphValue x, GraphValue y) { return binary(OpKind::Sub, x, y); }
  GraphValue mul(GraphValue x, GraphValue y) { return binary(OpKind::Mul, x, y); }
  GraphValue div(GraphValue x, GraphValue y) { return binary(OpKind::Div, x, y); }
  GraphValue mul(GraphValue x, double y) { return binary(OpKind::Mul, x, y); }
  GraphValue add(GraphValue x, double y) { return binary(OpKind::Add, x, y); }
  GraphValue mul(GraphValue x, Size y) { return binary(OpKind::Mul, x, y); }
  GraphValue add(GraphValue x, Size y) { return binary(OpKind::Add, x, y); }

  /// The value, computed at import. Unsupported if it depends on graph inputs (they are named) or
  /// on open dims, or is too large for a value that decides a shape.
  Expected<Tensor> evaluate(GraphValue value);
  /// The same where elements may be sizes over open dims: the tensor is i64 then.
  Expected<Tensor> evaluateSizes(GraphValue value);

private:
  struct Record {
    OpKind kind;
    std::vector<GraphValue> operands;
    Attrs attrs;
  };
  Expected<SizeValue> known(GraphValue value);
  Expected<SizeValue> evaluateOp(const Record &record, uint32_t id);
  void checkNumbers(const Tensor &value);
  void count(OpKind kind);
  std::vector<GraphValue> addResults(std::vector<GraphValue> results, const std::string &what);
  void agreeOperands(OpKind kind, std::span<const GraphValue> operands, const Attrs &attrs);
  void agreeAxes(const Shape &x, size_t xAxis, const Shape &y, size_t yAxis);
  void agreeShapes(const Shape &x, const Shape &y, std::optional<size_t> except = std::nullopt);

  RegionBuilder &sink;
  bool clampedSlices = false;
  Status firstError;
  std::optional<std::pair<std::string, int64_t>> needed;
  std::unordered_map<uint32_t, Record> records;
  std::unordered_map<uint32_t, std::string> inputs;
  std::unordered_map<uint32_t, std::string> runValues; ///< what ops with regions make, and why
  std::unordered_map<uint32_t, SizeValue> values;
  int64_t work = 0;     ///< operations of evaluate so far, about
  int64_t numOps = 0;   ///< written so far, without constants
  int64_t numOther = 0; ///< of these, neither elementwise nor movements
};

} // namespace zyxc::importer
