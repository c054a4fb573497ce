#include "compiler/import/node/GraphWriter.h"
#include "compiler/interp/Interp.h"
#include <algorithm>
#include <set>

namespace zyxc::importer {

// A value that decides a shape has few elements, and little work makes it: a file that asks for
// more is refused instead of computed at import.
static constexpr int64_t maxElements = 1 << 16;
static constexpr int64_t maxWork = 1 << 28;

static std::span<const int64_t> elements(const Tensor &tensor) {
  return {tensor.as<int64_t>(), static_cast<size_t>(tensor.numElements())};
}

/// An integer of a file may happen to have the bits of a symbolic size.
static bool looksOpen(const Tensor &tensor) {
  return tensor.dtype() == DType::I64 && dim::anySymbolic(elements(tensor));
}

Status GraphWriter::takeStatus() {
  return std::exchange(firstError, Status::ok());
}

void GraphWriter::fail(Status error) {
  if (firstError.isOk()) {
    firstError = std::move(error);
  }
}

void GraphWriter::addInput(GraphValue value, std::string name) {
  inputs.emplace(value.id, std::move(name));
}

/// Symbolic sizes mean something in this process only: as data they are written as variables.
void GraphWriter::checkNumbers(const Tensor &value) {
  if (!looksOpen(value)) {
    return;
  }
  for (int64_t element : elements(value)) {
    if (dim::isSymbolic(element) && dim::isValid(element)) {
      fail(makeError(ErrorCode::Unsupported, "a constant would hold the open size {}: give {}",
                     dim::toString(element), dimRemedy(element)));
    }
  }
}

GraphValue GraphWriter::op(OpKind kind, std::span<const GraphValue> operands, Attrs attrs) {
  if (!firstError.isOk() && !operands.empty()) {
    return operands[0];
  }
  agreeOperands(kind, operands, attrs);
  if (kind == OpKind::Constant) {
    checkNumbers(attrs.getTensor("value"));
  }
  if (!firstError.isOk() && !operands.empty()) {
    return operands[0];
  }
  Expected<GraphValue> result = sink.tryOp(kind, operands, attrs);
  if (result) {
    count(kind);
    // A sink may return an existing value: the first record of it stands.
    if (!inputs.contains(result->id)) {
      records.try_emplace(result->id,
                          Record{kind, {operands.begin(), operands.end()}, std::move(attrs)});
    }
    return *result;
  }
  fail(std::move(result).error());
  return operands.empty() ? constant(Tensor::scalar(DType::F32, 0)) : operands[0];
}

GraphValue GraphWriter::splat(DType dtype, const Shape &shape, double value) {
  return broadcast(constant(Tensor::scalar(dtype, value)), shape);
}

GraphValue GraphWriter::scalar(DType dtype, Size value) {
  if (!dim::isSymbolic(value.value)) {
    return constant(Tensor::scalarInt(dtype, value.value));
  }
  return cast(op(OpKind::Variable, {}, {{"name", dim::toString(value.value)}}), dtype);
}

GraphValue GraphWriter::vector(std::span<const int64_t> sizes) {
  if (!dim::anySymbolic(sizes)) {
    return constant(Tensor::fromInts(sizes));
  }
  std::vector<GraphValue> parts;
  for (size_t i = 0; i < sizes.size();) {
    if (dim::isSymbolic(sizes[i])) {
      parts.push_back(reshape(scalar(DType::I64, Size{sizes[i]}), {1}));
      ++i;
      continue;
    }
    size_t end = i;
    while (end < sizes.size() && !dim::isSymbolic(sizes[end])) {
      ++end;
    }
    parts.push_back(constant(Tensor::fromInts(sizes.subspan(i, end - i))));
    i = end;
  }
  return concat(parts, 0);
}

GraphValue GraphWriter::cast(GraphValue x, DType dtype) {
  return dtypeOf(x) == dtype ? x : op(OpKind::Cast, {x}, {{"dtype", dtype}});
}

GraphValue GraphWriter::reshape(GraphValue x, Shape shape) {
  return shapeOf(x) == shape ? x : op(OpKind::Reshape, {x}, {{"shape", std::move(shape)}});
}

GraphValue GraphWriter::permute(GraphValue x, std::vector<int64_t> perm) {
  return std::is_sorted(perm.begin(), perm.end()) && perm.size() == shapeOf(x).size()
             ? x
             : op(OpKind::Permute, {x}, {{"perm", std::move(perm)}});
}

GraphValue GraphWriter::broadcast(GraphValue x, const Shape &shape) {
  Shape from = shapeOf(x);
  if (from == shape) {
    return x;
  }
  if (from.size() > shape.size()) {
    fail(makeError(ErrorCode::Unsupported, "shape {} does not broadcast to {}", shapeText(from),
                   shapeText(shape)));
    return x;
  }
  from.insert(from.begin(), shape.size() - from.size(), 1);
  GraphValue aligned = reshape(x, from);
  return from == shape ? aligned : op(OpKind::Expand, {aligned}, {{"shape", shape}});
}

std::pair<GraphValue, GraphValue> GraphWriter::broadcastPair(GraphValue x, GraphValue y) {
  Expected<Shape> shape = broadcastShape(shapeOf(x), shapeOf(y));
  if (!shape) {
    fail(std::move(shape).error());
    return {x, x};
  }
  return {broadcast(x, *shape), broadcast(y, *shape)};
}

GraphValue GraphWriter::alongAxis(GraphValue vector, int64_t axis, int64_t rank) {
  if (shapeOf(vector).size() != 1 || axis >= rank) {
    fail(makeError(ErrorCode::Unsupported, "a vector is needed, not shape {}",
                   shapeText(shapeOf(vector))));
    return vector;
  }
  Shape shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(axis)] = shapeOf(vector)[0];
  return reshape(vector, std::move(shape));
}

GraphValue GraphWriter::pad(GraphValue x, std::vector<int64_t> low, std::vector<int64_t> high,
                            GraphValue value) {
  auto isZero = [](int64_t width) {
    return width == 0;
  };
  if (std::all_of(low.begin(), low.end(), isZero) &&
      std::all_of(high.begin(), high.end(), isZero)) {
    return x;
  }
  return op(OpKind::Pad, {x, value}, {{"low", std::move(low)}, {"high", std::move(high)}});
}

GraphValue GraphWriter::narrow(GraphValue x, Shape starts, Shape sizes, Shape steps) {
  // All of x is x itself, whatever the rank. A start that is open is checked at run time.
  return sizes == shapeOf(x) && !dim::anySymbolic(starts) ? x
                                                          : op(OpKind::Narrow, {x},
                                                               {{"starts", std::move(starts)},
                                                                {"sizes", std::move(sizes)},
                                                                {"steps", std::move(steps)}});
}

GraphValue GraphWriter::slice(GraphValue x, int64_t axis, int64_t start, int64_t size,
                              int64_t step) {
  Shape sizes = shapeOf(x);
  Shape starts(sizes.size(), 0), steps(sizes.size(), 1);
  size_t at = static_cast<size_t>(axis);
  starts[at] = start;
  sizes[at] = size;
  steps[at] = step;
  return narrow(x, std::move(starts), std::move(sizes), std::move(steps));
}

GraphValue GraphWriter::entry(GraphValue x, int64_t axis, int64_t i) {
  Shape shape = shapeOf(x);
  shape.erase(shape.begin() + axis);
  return reshape(slice(x, axis, i, 1), std::move(shape));
}

GraphValue GraphWriter::concat(std::span<const GraphValue> values, int64_t axis) {
  return values.size() == 1 ? values[0] : op(OpKind::Concat, values, {{"axis", axis}});
}

GraphValue GraphWriter::stack(std::span<const GraphValue> values, int64_t axis) {
  std::vector<GraphValue> parts;
  for (GraphValue value : values) {
    Shape shape = shapeOf(value);
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(reshape(value, std::move(shape)));
  }
  return concat(parts, axis);
}

GraphValue GraphWriter::gatherAlong(GraphValue x, GraphValue index, int64_t axis) {
  // Through offsets into the flat x.
  const Shape data = shapeOf(x);
  const Shape shape = shapeOf(index);
  Shape strides = rowMajorStrides(data);
  GraphValue offset = splat(DType::I64, shape, 0);
  for (size_t i = 0; i < data.size(); ++i) {
    auto at = static_cast<int64_t>(i);
    GraphValue coordinate = at == axis ? index : iota(shape, at);
    offset = add(offset, mul(coordinate, Size{strides[i]}));
  }
  return gather(reshape(x, {numElements(data)}), offset, 0);
}

GraphValue GraphWriter::reduce(OpKind kind, GraphValue x, const std::vector<int64_t> &axes,
                               bool keepDims) {
  Shape kept = shapeOf(x);
  Attrs attrs{{"axes", axes}};
  if (kind == OpKind::ArgMax || kind == OpKind::ArgMin) {
    attrs.set("last", int64_t(0));
  }
  GraphValue result = axes.empty() ? x : op(kind, {x}, std::move(attrs));
  if (!keepDims) {
    return result;
  }
  for (int64_t axis : axes) {
    kept[static_cast<size_t>(axis)] = 1;
  }
  return reshape(result, std::move(kept));
}

GraphValue GraphWriter::mean(GraphValue x, const std::vector<int64_t> &axes, bool keepDims) {
  DType dtype = dtypeOf(x);
  int64_t count = 1;
  for (int64_t axis : axes) {
    count = dim::mul(count, shapeOf(x)[static_cast<size_t>(axis)]);
  }
  GraphValue wide = cast(x, isFloat(dtype) && byteSize(dtype) < 4 ? DType::F32 : dtype);
  GraphValue sum = reduce(OpKind::ReduceSum, wide, axes, keepDims);
  return cast(binary(OpKind::Div, sum, Size{count}), dtype);
}

GraphValue GraphWriter::iota(const Shape &shape, int64_t axis, DType dtype) {
  return op(OpKind::Iota, {}, {{"shape", shape}, {"axis", axis}, {"dtype", dtype}});
}

GraphValue GraphWriter::binary(OpKind kind, GraphValue x, GraphValue y) {
  auto [left, right] = broadcastPair(x, y);
  return op(kind, {left, right});
}

/// An op whose attributes or result have open dims has no value at import.
static Status checkStatic(const Attrs &attrs, const Shape &shape) {
  std::vector<int64_t> sizes = shape;
  for (const auto &[name, value] : attrs.entries()) {
    if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
      sizes.insert(sizes.end(), list->begin(), list->end());
    }
  }
  if (!dim::anySymbolic(sizes)) {
    return Status::ok();
  }
  return makeError(ErrorCode::Unsupported,
                   "a value that decides a shape is made of one of shape {}: give {}",
                   shapeText(shape), dimRemedy(sizes));
}

Expected<SizeValue> GraphWriter::evaluateOp(const Record &record, uint32_t id) {
  if (record.kind == OpKind::Constant) {
    return SizeValue{record.attrs.getTensor("value")};
  }
  const TensorType &type = sink.typeOf({id});
  ZYXC_RETURN_IF_ERROR(checkStatic(record.attrs, type.shape));
  int64_t count = type.numElements();
  int64_t largest = 1;
  std::vector<SizeValue> operands;
  for (GraphValue operand : record.operands) {
    operands.push_back(values.at(operand.id));
    largest = std::max(largest, operands.back().tensor.numElements());
  }
  // Each element of a product or window sum may read all of an operand.
  bool sums = isComposite(record.kind) || record.kind == OpKind::Contract;
  if (count > maxElements || largest > maxWork) {
    work = maxWork;
  } else {
    work += sums ? count * largest : count + largest;
  }
  if (work >= maxWork) {
    return makeError(ErrorCode::Unsupported,
                     "a value that decides a shape takes too many operations to compute");
  }
  return importer::evaluateSizes(record.kind, record.attrs, operands);
}

Expected<SizeValue> GraphWriter::known(GraphValue value) {
  // Post-order over the operands, with an own stack: the depth is the user's.
  std::vector<uint32_t> stack = {value.id};
  std::set<std::string> missing;
  std::string run; // a value that only the run tells
  std::set<uint32_t> visited;
  while (!stack.empty()) {
    uint32_t id = stack.back();
    auto record = records.find(id);
    if (values.contains(id) || record == records.end()) {
      if (auto input = inputs.find(id); input != inputs.end()) {
        missing.insert(input->second);
      } else if (auto made = runValues.find(id); made != runValues.end()) {
        run = made->second;
      }
      stack.pop_back();
      continue;
    }
    if (visited.insert(id).second) {
      for (GraphValue operand : record->second.operands) {
        if (!visited.contains(operand.id)) {
          stack.push_back(operand.id);
        }
      }
      continue;
    }
    stack.pop_back();
    if (missing.empty() && run.empty()) {
      ZYXC_ASSIGN(SizeValue result, evaluateOp(record->second, id));
      values.emplace(id, std::move(result));
    }
  }
  if (!run.empty()) {
    return makeError(
        ErrorCode::Unsupported,
        "its result's shape depends on {}, which only the run tells: make it a number, "
        "or a result of shapes",
        run);
  }
  if (!missing.empty()) {
    std::string names = fmt::format("{}", fmt::join(missing, "', '"));
    return makeError(ErrorCode::Unsupported,
                     "its result's shape depends on the value of input '{0}': give it with --bind "
                     "{1}=@FILE",
                     names, *missing.begin());
  }
  return values.at(value.id);
}

Expected<Tensor> GraphWriter::evaluateSizes(GraphValue value) {
  ZYXC_ASSIGN(SizeValue result, known(value));
  if (!result.open && looksOpen(result.tensor)) {
    return makeError(ErrorCode::Input, "a value that decides a shape holds an integer over 2^58");
  }
  return result.tensor;
}

Expected<Tensor> GraphWriter::evaluate(GraphValue value) {
  ZYXC_ASSIGN(SizeValue result, known(value));
  if (result.open) {
    return makeError(ErrorCode::Unsupported, "its operand {} must be a number here: give {}",
                     sizesText(elements(result.tensor)), dimRemedy(elements(result.tensor)));
  }
  return result.tensor;
}

} // namespace zyxc::importer
