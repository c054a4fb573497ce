// Random choices for the generator: numbers, shapes, tensors, and operands among the values that a
// graph has already.
#pragma once
#include "test/fuzz/graphs/program/Graph.h"
#include <functional>
#include <optional>
#include <random>

namespace zyxc::fuzz {

/// What the elements of inputs and constants look like.
enum class Flavour : uint8_t {
  Integral, ///< small integers: float results are often exact
  Smooth,   ///< floats in [-2, 2], small integers
  Wide,     ///< magnitudes over the dtype's range
  Special,  ///< with infinities, NaN, zeros of both signs, denormals and extremes
};

/// An op on a dtype that a program shall have.
struct Feature {
  OpKind kind;
  DType dtype;
};

class Source {
public:
  /// The program's dtypes are random ones and the feature's.
  Source(uint64_t seed, const Feature &feature);

  /// In [0, count).
  int64_t below(int64_t count) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(count));
  }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  double uniform(double low, double high);
  template <class T> const T &pick(std::span<const T> values) {
    return values[below(values.size())];
  }
  template <class T> T oneOf(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

  /// Mostly one of the few dtypes of this graph.
  DType dtype();
  /// One that fits; what is wanted comes first.
  DType dtypeThat(const std::function<bool(DType)> &fits);
  /// The kind that is wanted, or any.
  OpKind kind();
  static constexpr int64_t maxRank = 6;
  int64_t extent();
  /// Few enough elements for a quick run.
  Shape shape(int64_t rank);
  Tensor tensor(const TensorType &type);

  /// A new input, or a constant, of this type.
  GraphValue fresh(const TensorType &type);
  /// A value of the graph, recent ones more often; nothing if none fits.
  std::optional<GraphValue> value(const std::function<bool(const TensorType &)> &fits);
  /// A value of such a dtype and rank; nothing if there is none.
  std::optional<GraphValue> valueOf(const std::function<bool(DType)> &fits, int64_t leastRank,
                                    int64_t mostRank);
  /// A value of such a dtype; a new one if there is none.
  GraphValue valueOf(const std::function<bool(DType)> &fits);
  /// An operand of this type: a value of the graph, one broadcast to the shape, or a new one. It is
  /// rarely `beside`, the operand that stands beside it: x - x and max(x, x) hide what an op does.
  GraphValue operandLike(TensorType type, std::optional<GraphValue> beside = {});
  /// Some axes of a rank, sorted; at least one if there is any.
  std::vector<int64_t> axes(int64_t rank);
  std::vector<int64_t> permutation(int64_t rank);
  const TensorType &typeOf(GraphValue value) const { return builder.typeOf(value); }

  /// Adds the op if it is valid, its result is not too large, and it is what is wanted, if anything
  /// is.
  bool add(OpKind kind, std::initializer_list<GraphValue> operands, Attrs attrs = {}) {
    return add(kind, std::span(operands.begin(), operands.size()), std::move(attrs));
  }
  bool add(OpKind kind, std::span<const GraphValue> operands, Attrs attrs = {});

  Graph graph;
  GraphWriter builder;
  std::optional<Feature> wanted; ///< the only op to be added, while there is one

private:
  double element(DType dtype);

  std::mt19937_64 engine;
  std::vector<DType> dtypes; ///< of this graph
  Flavour flavour;
  bool large; ///< shapes with tens of thousands of elements
};

} // namespace zyxc::fuzz
