#include "test/fuzz/graphs/program/Source.h"
#include "test/fuzz/graphs/program/Coverage.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace zyxc::fuzz {

static constexpr int64_t maxElements = 8192;
static constexpr int64_t maxLargeElements = 1 << 17;

Source::Source(uint64_t seed, const Feature &feature) : builder(graph), engine(seed) {
  large = chance(4);
  dtypes.push_back(feature.dtype);
  // f32 is what most programs use.
  for (int64_t count = between(1, 3); count > 0; --count) {
    dtypes.push_back(chance(45) ? DType::F32 : static_cast<DType>(below(numDTypes)));
  }
  flavour = static_cast<Flavour>(below(4));
}

double Source::uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine);
}

DType Source::dtype() {
  return chance(90) ? dtypes[below(static_cast<int64_t>(dtypes.size()))]
                    : static_cast<DType>(below(numDTypes));
}

DType Source::dtypeThat(const std::function<bool(DType)> &fits) {
  if (wanted && fits(wanted->dtype)) {
    return wanted->dtype;
  }
  DType chosen = dtype();
  while (!fits(chosen)) {
    chosen = static_cast<DType>(below(numDTypes));
  }
  return chosen;
}

OpKind Source::kind() {
  return wanted ? wanted->kind : static_cast<OpKind>(below(numOpKinds()));
}

int64_t Source::extent() {
  if (chance(2)) {
    return 0;
  }
  if (large) {
    return oneOf<int64_t>({1, 3, 8, 31, 64, 100, 257});
  }
  return oneOf<int64_t>({1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 33, 40});
}

Shape Source::shape(int64_t rank) {
  constexpr int64_t manyAxes = 5;
  Shape result(rank);
  do {
    for (int64_t &dim : result) {
      dim = rank >= manyAxes ? std::min(extent(), oneOf<int64_t>({1, 2, 2, 3, 5})) : extent();
    }
  } while (numElements(result) > (large ? maxLargeElements : maxElements / 4));
  return result;
}

double Source::element(DType dtype) {
  bool isUnsignedType = isUnsigned(dtype) || dtype == DType::Bool;
  if (dtype == DType::Bool) {
    return static_cast<double>(below(2));
  }
  if (flavour == Flavour::Integral || (!isFloat(dtype) && flavour == Flavour::Smooth)) {
    return static_cast<double>(isUnsignedType ? between(0, 6) : between(-4, 4));
  }
  if (flavour == Flavour::Special && chance(15)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return oneOf({infinity, -infinity, std::nan(""), -std::nan(""), 0.0, -0.0, 1.0, -1.0, 1e-42,
                  65504.0, 3e38});
  }
  if (flavour == Flavour::Smooth || flavour == Flavour::Special) {
    return uniform(-2, 2);
  }
  double magnitude = std::exp2(uniform(-6, isFloat(dtype) ? 8 : bitWidth(dtype)));
  return chance(50) && !isUnsignedType ? -magnitude : magnitude;
}

Tensor Source::tensor(const TensorType &type) {
  Tensor result = Tensor::allocate(type);
  bool bits = isInteger(type.dtype) && flavour == Flavour::Special;
  for (int64_t i = 0; i < result.numElements(); ++i) {
    if (bits && chance(50)) {
      result.setInt(i, static_cast<int64_t>(engine() >> below(64)));
    } else {
      result.setDouble(i, element(type.dtype));
    }
  }
  return result;
}

GraphValue Source::fresh(const TensorType &type) {
  if (chance(55)) {
    return builder.leaf(tensor(type));
  }
  if (chance(50)) { // one number for all elements, often a neutral one
    double number = chance(50) ? oneOf({0.0, 1.0, 2.0, -1.0}) : element(type.dtype);
    return builder.splat(type.dtype, type.shape, number);
  }
  return builder.constant(tensor(type));
}

std::optional<GraphValue> Source::value(const std::function<bool(const TensorType &)> &fits) {
  std::vector<uint32_t> found;
  for (uint32_t id = 0; id < graph.nodes.size(); ++id) {
    if (fits(graph.nodes[id].type)) {
      found.push_back(id);
    }
  }
  if (found.empty()) {
    return std::nullopt;
  }
  // Values that nothing reads come first: programs grow deep and leave few loose ends.
  std::vector<uint32_t> unread;
  for (uint32_t id : found) {
    bool isRead = std::ranges::any_of(graph.nodes, [&](const Node &node) {
      return std::ranges::find(node.operands, id) != node.operands.end();
    });
    if (!isRead) {
      unread.push_back(id);
    }
  }
  const std::vector<uint32_t> &choices = !unread.empty() && chance(60) ? unread : found;
  auto count = static_cast<int64_t>(choices.size());
  int64_t first = chance(50) ? std::max<int64_t>(count - 2, 0) : 0;
  return GraphValue{choices[between(first, count - 1)]};
}

std::optional<GraphValue> Source::valueOf(const std::function<bool(DType)> &fits, int64_t leastRank,
                                          int64_t mostRank) {
  bool isWanted = wanted && fits(wanted->dtype);
  return value([&](const TensorType &type) {
    return (isWanted ? type.dtype == wanted->dtype : fits(type.dtype)) &&
           type.rank() >= leastRank && type.rank() <= mostRank;
  });
}

GraphValue Source::valueOf(const std::function<bool(DType)> &fits) {
  auto found = valueOf(fits, 0, std::numeric_limits<int64_t>::max());
  bool isTaken =
      found && !(wanted && chance(30)); // no value that is there may serve what is wanted
  return isTaken ? *found : fresh({dtypeThat(fits), shape(below(maxRank + 1))});
}

GraphValue Source::operandLike(TensorType type, std::optional<GraphValue> beside) {
  auto same = value([&](const TensorType &other) { return other == type; });
  auto isRepeated = [&](GraphValue found) {
    return beside && found.id == beside->id;
  };
  if (same && chance(isRepeated(*same) ? 5 : 60)) {
    return *same;
  }
  auto broadcastable = value([&](const TensorType &other) {
    auto shape = broadcastShape(other.shape, type.shape);
    return other.dtype == type.dtype && shape && *shape == type.shape;
  });
  if (broadcastable && !isRepeated(*broadcastable) && chance(40)) {
    return builder.broadcast(*broadcastable, type.shape);
  }
  if (chance(60)) {
    return fresh(type);
  }
  Shape part = type.shape; // a smaller tensor, broadcast
  for (int64_t &dim : part) {
    dim = chance(50) ? 1 : dim;
  }
  part.erase(part.begin(), part.begin() + below(static_cast<int64_t>(part.size()) + 1));
  return builder.broadcast(fresh({type.dtype, part}), type.shape);
}

std::vector<int64_t> Source::axes(int64_t rank) {
  std::vector<int64_t> result;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (chance(45)) {
      result.push_back(axis);
    }
  }
  if (result.empty() && rank > 0) {
    result.push_back(below(rank));
  }
  return result;
}

std::vector<int64_t> Source::permutation(int64_t rank) {
  std::vector<int64_t> result(rank);
  std::iota(result.begin(), result.end(), 0);
  std::shuffle(result.begin(), result.end(), engine);
  return result;
}

bool Source::add(OpKind kind, std::span<const GraphValue> operands, Attrs attrs) {
  std::vector<TensorType> types;
  for (GraphValue operand : operands) {
    types.push_back(typeOf(operand));
  }
  Expected<TensorType> type = inferType(kind, attrs, types);
  if (!type || type->numElements() > (large ? maxLargeElements : maxElements)) {
    return false;
  }
  if (wanted && (kind != wanted->kind || subjectOf(kind, types, *type) != wanted->dtype)) {
    return false;
  }
  builder.op(kind, operands, std::move(attrs));
  return true;
}

} // namespace zyxc::fuzz
