#include "compiler/import/node/SizeValue.h"
#include "compiler/interp/Interp.h"
#include <algorithm>
#include <cassert>
#include <fmt/ranges.h>

namespace zyxc::importer {

std::string dimRemedy(std::span<const int64_t> sizes) {
  std::set<std::string> names;
  for (int64_t size : sizes) {
    names.merge(dim::variables(size));
  }
  std::string text;
  for (const std::string &name : names) {
    text += fmt::format("{}--dim {}=SIZE", text.empty() ? "" : " ", name);
  }
  return text;
}

std::string sizesText(std::span<const int64_t> sizes) {
  std::vector<std::string> texts;
  texts.reserve(sizes.size());
  for (int64_t size : sizes) {
    texts.push_back(dim::toString(size));
  }
  return fmt::format("[{}]", fmt::join(texts, ","));
}

static std::span<const int64_t> elements(const Tensor &tensor) {
  return {tensor.as<int64_t>(), static_cast<size_t>(tensor.numElements())};
}

/// An integer or bool tensor as i64.
static Tensor wide(const Tensor &tensor) {
  if (tensor.dtype() == DType::I64) {
    return tensor;
  }
  Tensor result = Tensor::allocate({DType::I64, tensor.shape()});
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    result.setInt(i, tensor.asInt(i));
  }
  return result;
}

static SizeValue valueOf(Tensor tensor) {
  bool open = dim::anySymbolic(elements(tensor));
  return {std::move(tensor), open};
}

static Status unknown(OpKind kind, std::span<const int64_t> sizes) {
  return makeError(ErrorCode::Unsupported,
                   "'{}' of {} decides a shape, but is not known for all sizes: give {}",
                   name(kind), sizesText(sizes), dimRemedy(sizes));
}

/// x / y as integers divide: toward zero.
static std::optional<int64_t> quotient(int64_t x, int64_t y) {
  if (std::optional<int64_t> exact = dim::exactQuotient(x, y)) {
    return exact;
  }
  // A divisor that may be 0 at run time has no quotient there that would be right.
  bool positive = dim::provablyAtMost(0, x) && y != 0 && dim::provablyAtMost(0, y);
  return positive ? std::optional(dim::floorDiv(x, y)) : std::nullopt;
}

static std::optional<int64_t> smaller(int64_t x, int64_t y) {
  // Ends of slices are written as huge numbers; no size exceeds the limit.
  for (auto [a, b] : {std::pair(x, y), std::pair(y, x)}) {
    if (!dim::isSymbolic(a) && a >= dim::limit) {
      return b;
    }
  }
  return dim::min(x, y);
}

/// Numbers and sizes by dim::, nothing where that is not known.
static std::optional<int64_t> combine(OpKind kind, int64_t x, int64_t y) {
  switch (kind) {
  case OpKind::Add: return dim::add(x, y);
  case OpKind::Sub: return dim::sub(x, y);
  case OpKind::Mul: return dim::mul(x, y);
  case OpKind::Div: return quotient(x, y);
  case OpKind::Min: return smaller(x, y);
  case OpKind::Max: return dim::max(x, y);
  case OpKind::Rem:
    if (!dim::provablyAtMost(0, x)) {
      return std::nullopt;
    }
    [[fallthrough]];
  case OpKind::Mod:
    return y != 0 && dim::provablyAtMost(0, y) ? std::optional(dim::mod(x, y)) : std::nullopt;
  default: return std::nullopt;
  }
}

/// Whether a comparison holds for all values of the variables; nothing where it depends on them.
static std::optional<int64_t> compare(OpKind kind, int64_t x, int64_t y) {
  auto decide = [](bool yes, bool no) {
    return yes ? std::optional<int64_t>(1) : no ? std::optional<int64_t>(0) : std::nullopt;
  };
  bool differ = dim::provablyLess(x, y) || dim::provablyLess(y, x);
  switch (kind) {
  case OpKind::Eq: return decide(x == y, differ);
  case OpKind::Ne: return decide(differ, x == y);
  case OpKind::Lt: return decide(dim::provablyLess(x, y), dim::provablyAtMost(y, x));
  case OpKind::Le: return decide(dim::provablyAtMost(x, y), dim::provablyLess(y, x));
  case OpKind::Gt: return decide(dim::provablyLess(y, x), dim::provablyAtMost(x, y));
  case OpKind::Ge: return decide(dim::provablyAtMost(y, x), dim::provablyLess(x, y));
  default: return std::nullopt;
  }
}

static Expected<SizeValue> binary(OpKind kind, const Tensor &x, const Tensor &y) {
  bool compares = info(kind).family == OpFamily::Compare;
  Tensor result = Tensor::allocate({compares ? DType::Bool : DType::I64, x.shape()});
  for (int64_t i = 0; i < result.numElements(); ++i) {
    int64_t pair[] = {x.asInt(i), y.asInt(i)};
    std::optional<int64_t> value =
        compares ? compare(kind, pair[0], pair[1]) : combine(kind, pair[0], pair[1]);
    if (!value || *value == dim::invalid) {
      return unknown(kind, pair);
    }
    result.setInt(i, *value);
  }
  return compares ? SizeValue{std::move(result)} : valueOf(std::move(result));
}

static Expected<SizeValue> unary(OpKind kind, const Tensor &x) {
  Tensor result = Tensor::allocate(x.type());
  for (int64_t i = 0; i < result.numElements(); ++i) {
    int64_t size = x.asInt(i);
    bool known = kind == OpKind::Neg || (kind == OpKind::Abs && dim::provablyAtMost(0, size));
    if (!known) {
      return unknown(kind, std::span(&size, 1));
    }
    result.setInt(i, kind == OpKind::Neg ? dim::sub(0, size) : size);
  }
  return valueOf(std::move(result));
}

static Expected<SizeValue> cast(DType to, const Tensor &x) {
  if (isInteger(to)) {
    return valueOf(x);
  }
  return unknown(OpKind::Cast, elements(x));
}

/// Sum, product or extreme over axes, which disappear.
static Expected<SizeValue> reduce(OpKind kind, const std::vector<int64_t> &axes, const Tensor &x) {
  OpKind step = kind == OpKind::ReduceSum    ? OpKind::Add
                : kind == OpKind::ReduceProd ? OpKind::Mul
                : kind == OpKind::ReduceMin  ? OpKind::Min
                                             : OpKind::Max;
  bool known = step != OpKind::Max || kind == OpKind::ReduceMax;
  const Shape &shape = x.shape();
  Shape kept, strides(shape.size(), 0);
  int64_t count = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) == axes.end()) {
      kept.insert(kept.begin(), shape[i]);
      strides[i] = count;
      count *= shape[i];
    }
  }
  Tensor result = Tensor::allocate({DType::I64, kept});
  std::vector<bool> started(static_cast<size_t>(count), false);
  for (int64_t i = 0; i < x.numElements(); ++i) {
    int64_t rest = i, at = 0;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
      at += rest % shape[axis] * strides[axis];
    }
    std::optional<int64_t> value = x.asInt(i);
    if (started[static_cast<size_t>(at)]) {
      value = combine(step, result.asInt(at), *value);
    }
    if (!known || !value || *value == dim::invalid) {
      return unknown(kind, elements(x));
    }
    started[static_cast<size_t>(at)] = true;
    result.setInt(at, *value);
  }
  return valueOf(std::move(result));
}

/// Ops that pass elements on as they are. A condition and an index must be numbers.
static bool movesOnly(OpKind kind, std::span<const SizeValue> operands) {
  switch (kind) {
  case OpKind::Select: return !operands[0].open;
  case OpKind::Gather: return !operands[1].open;
  case OpKind::Concat:
  case OpKind::Stack: return true;
  default: return isMovement(kind);
  }
}

static Expected<SizeValue> move(OpKind kind, const Attrs &attrs,
                                std::span<const SizeValue> operands) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < operands.size(); ++i) {
    bool isElements = !(kind == OpKind::Select && i == 0);
    tensors.push_back(isElements ? wide(operands[i].tensor) : operands[i].tensor);
  }
  ZYXC_ASSIGN(Tensor result, interp::evaluate(kind, attrs, tensors));
  return valueOf(std::move(result));
}

Expected<SizeValue> evaluateSizes(OpKind kind, const Attrs &attrs,
                                  std::span<const SizeValue> operands) {
  if (kind == OpKind::Variable) {
    ZYXC_ASSIGN(int64_t size, dim::parse(attrs.getString("name")));
    return valueOf(Tensor::scalarInt(DType::I64, size));
  }
  bool open = std::any_of(operands.begin(), operands.end(), [](const auto &x) { return x.open; });
  if (!open) {
    std::vector<Tensor> tensors;
    for (const SizeValue &operand : operands) {
      tensors.push_back(operand.tensor);
    }
    ZYXC_ASSIGN(Tensor result, interp::evaluate(kind, attrs, tensors));
    return SizeValue{std::move(result)};
  }
  if (movesOnly(kind, operands)) {
    return move(kind, attrs, operands);
  }
  const Tensor x = wide(operands[0].tensor);
  if (isUnary(kind)) {
    return unary(kind, x);
  }
  if (isBinary(kind) || info(kind).family == OpFamily::Compare) {
    return binary(kind, x, wide(operands[1].tensor));
  }
  if (kind == OpKind::Cast) {
    return cast(attrs.getDType("dtype"), x);
  }
  if (isReduce(kind) && kind != OpKind::ArgMax && kind != OpKind::ArgMin) {
    return reduce(kind, attrs.getInts("axes"), x);
  }
  return unknown(kind, elements(x));
}

} // namespace zyxc::importer
