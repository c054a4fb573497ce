// A sink for zyx ops without MLIR: decompositions and importers write against it, an MLIR builder
// and the e-graph implement it.
#pragma once
#include "dialects/zyx/semantics/Infer.h"

namespace zyxc {

/// A value made by a GraphBuilder: an index into its own table.
struct GraphValue {
  uint32_t id = ~0u;
};

class GraphBuilder {
public:
  virtual ~GraphBuilder() = default;

  /// Adds an op. Its operands and attributes must be valid: use tryOp for user input.
  GraphValue op(OpKind kind, std::span<const GraphValue> operands, Attrs attrs = {});
  GraphValue op(OpKind kind, std::initializer_list<GraphValue> operands, Attrs attrs = {}) {
    return op(kind, std::span(operands.begin(), operands.size()), std::move(attrs));
  }
  /// Adds an op, or says why it is not valid.
  Expected<GraphValue> tryOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs = {});
  virtual const TensorType &typeOf(GraphValue value) const = 0;

  // Conveniences. Elementwise operands must have equal shapes: see broadcast.
  GraphValue constant(Tensor value);
  /// `value` converted to dtype and expanded to shape.
  GraphValue splat(DType dtype, const Shape &shape, double value);
  GraphValue splatLike(GraphValue like, double value);
  GraphValue reshape(GraphValue x, Shape shape);
  GraphValue permute(GraphValue x, std::vector<int64_t> perm);
  GraphValue cast(GraphValue x, DType dtype);
  GraphValue select(GraphValue condition, GraphValue x, GraphValue y);
  /// x broadcast to shape by NumPy's rule (leading axes added, axes of size 1 repeated).
  /// The shapes must be compatible: see broadcastShape.
  GraphValue broadcast(GraphValue x, const Shape &shape);
  /// Padding by a constant, converted to x's dtype. No op when all widths are 0.
  GraphValue pad(GraphValue x, std::vector<int64_t> low, std::vector<int64_t> high, double value);
  GraphValue reduce(OpKind kind, GraphValue x, std::vector<int64_t> axes, bool keepDims);

protected:
  /// Adds an op whose result type was inferred.
  virtual GraphValue addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                           TensorType type) = 0;
};

/// The common shape of two shapes by NumPy's rule, or an error that names both.
Expected<Shape> broadcastShape(std::span<const int64_t> a, std::span<const int64_t> b);

/// The decomposition of a composite op into primitives (one level; other composites may be used).
/// Contract: its sum of products over primitives, as an oracle for tests; not used in the e-graph.
GraphValue decompose(GraphBuilder &builder, OpKind kind, std::span<const GraphValue> operands,
                     const Attrs &attrs);

} // namespace zyxc
