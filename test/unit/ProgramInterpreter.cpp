#include "test/unit/ProgramInterpreter.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace zyxc::kernelize {

namespace {

/// The elements of a value over its axis set; those that came from outside of a port are invalid.
struct Table {
  std::vector<Scalar> elements;
  std::vector<bool> valid;
};

class Evaluator {
public:
  Evaluator(const Program &program, std::span<const Tensor> inputs)
      : program(program), inputs(inputs), sets(program.axisSets()) {}

  Expected<std::vector<Tensor>> run() {
    for (size_t id = 0; id < program.values.size(); ++id) {
      Table table;
      auto count = static_cast<size_t>(program.volume(sets[id]));
      table.elements.resize(count);
      table.valid.resize(count, true);
      std::vector<int64_t> point(program.extents.size(), 0);
      for (size_t i = 0; i < count; ++i) {
        bool valid = true;
        table.elements[i] = evaluate(program.values[id], point, valid);
        table.valid[i] = valid;
        advance(sets[id], point);
      }
      tables.push_back(std::move(table));
    }
    return store();
  }

private:
  /// The next point over an axis set, last axis fastest; false after the last one.
  bool advance(uint64_t axes, std::vector<int64_t> &point) const {
    for (size_t axis = program.extents.size(); axis-- > 0;) {
      if (axes >> axis & 1) {
        if (++point[axis] < program.extents[axis]) {
          return true;
        }
        point[axis] = 0;
      }
    }
    return false;
  }

  Scalar at(ValueId id, const std::vector<int64_t> &point, bool &valid) const {
    size_t index = 0;
    for (size_t axis = 0; axis < program.extents.size(); ++axis) {
      if (sets[id] >> axis & 1) {
        index = index * program.extents[axis] + point[axis];
      }
    }
    valid = valid && tables[id].valid[index];
    return tables[id].elements[index];
  }

  Scalar evaluate(const Value &value, std::vector<int64_t> &point, bool &valid) const {
    switch (value.op) {
    case Value::Op::Literal: return std::bit_cast<Scalar>(value.literal);
    case Value::Op::Index: return Scalar{.i = value.coords[0].evaluate(point)};
    case Value::Op::Load: return load(value, point, valid);
    case Value::Op::Scalar: return scalar(value, point, valid);
    case Value::Op::Where: {
      bool inside = std::all_of(value.guard.begin(), value.guard.end(), [&](const Constraint &c) {
        int64_t at = c.expr.evaluate(point);
        return c.low <= at && at < c.high;
      });
      return at(value.operands[inside ? 0 : 1], point, valid);
    }
    case Value::Op::Reduce: return reduce(value, point, valid);
    case Value::Op::Contract: return contract(value, point, valid);
    case Value::Op::SoftmaxSum: return softmaxSum(value, point, valid);
    case Value::Op::Scan: return scan(value, point, valid);
    }
    return {};
  }

  Scalar load(const Value &value, const std::vector<int64_t> &point, bool &valid) const {
    std::vector<int64_t> dims = point;
    for (ValueId operand : value.operands) {
      dims.push_back(at(operand, point, valid).i);
    }
    const Tensor &tensor = inputs[value.port];
    int64_t offset = 0;
    for (size_t axis = 0; axis < value.coords.size(); ++axis) {
      int64_t coordinate = value.coords[axis].evaluate(dims);
      if (coordinate < 0 || coordinate >= tensor.shape()[axis]) {
        valid = false;
        return Scalar{.i = 0};
      }
      offset = offset * tensor.shape()[axis] + coordinate;
    }
    return loadScalar(tensor.dtype(), tensor.data() + offset * byteSize(tensor.dtype()));
  }

  Scalar scalar(const Value &value, const std::vector<int64_t> &point, bool &valid) const {
    std::vector<Scalar> x;
    x.reserve(value.operands.size());
    for (ValueId operand : value.operands) {
      x.push_back(at(operand, point, valid));
    }
    DType from = program.values[value.operands[0]].dtype;
    switch (value.kind) {
    case OpKind::Select: return x[0].i ? x[1] : x[2];
    case OpKind::Cast: return evalCast(from, value.dtype, x[0]);
    case OpKind::Bitcast: {
      std::byte bits[8] = {};
      storeScalar(from, x[0], bits);
      return loadScalar(value.dtype, bits);
    }
    default: break;
    }
    return x.size() == 1 ? evalUnary(value.kind, from, x[0])
                         : evalBinary(value.kind, from, x[0], x[1]);
  }

  Scalar reduce(const Value &value, std::vector<int64_t> &point, bool &valid) const {
    bool isPosition = value.kind == OpKind::ArgMax || value.kind == OpKind::ArgMin;
    DType dtype = program.values[value.operands[0]].dtype;
    uint64_t axes = 0;
    for (int64_t axis : value.axes) {
      axes |= 1ull << axis;
    }
    if (isPosition) {
      return position(value, dtype, point, valid);
    }
    Scalar sum = reduceIdentity(value.kind, dtype);
    bool more = program.volume(axes) > 0;
    for (; more; more = advance(axes, point)) {
      sum = reduceStep(value.kind, dtype, sum, at(value.operands[0], point, valid));
    }
    return sum;
  }

  Scalar scan(const Value &value, std::vector<int64_t> &point, bool &valid) const {
    int64_t axis = value.axes[0];
    int64_t own = point[axis];
    int64_t step = value.reverse ? -1 : 1;
    int64_t end = value.exclusive ? own : own + step;
    Scalar prefix = reduceIdentity(value.kind, value.dtype);
    for (int64_t i = value.reverse ? program.extents[axis] - 1 : 0; i != end; i += step) {
      point[axis] = i;
      prefix = reduceStep(value.kind, value.dtype, prefix, at(value.operands[0], point, valid));
    }
    point[axis] = own;
    return prefix;
  }

  Scalar position(const Value &value, DType dtype, std::vector<int64_t> &point, bool &valid) const {
    int64_t axis = value.axes[0];
    int64_t best = 0;
    Scalar extreme{};
    for (int64_t i = 0; i < program.extents[axis]; ++i) {
      point[axis] = i;
      Scalar x = at(value.operands[0], point, valid);
      bool isNan = isFloat(dtype) && std::isnan(x.f);
      bool bestIsNan = isFloat(dtype) && std::isnan(extreme.f);
      OpKind compare = value.kind == OpKind::ArgMax ? OpKind::Gt : OpKind::Lt;
      bool better = i == 0 || (isNan && !bestIsNan) ||
                    (!bestIsNan && evalBinary(compare, dtype, x, extreme).i);
      bool equal = (isNan && bestIsNan) || evalBinary(OpKind::Eq, dtype, x, extreme).i;
      if (better || (value.last && equal)) {
        best = i;
        extreme = x;
      }
    }
    point[axis] = 0;
    return Scalar{.i = best};
  }

  Scalar contract(const Value &value, std::vector<int64_t> &point, bool &valid) const {
    uint64_t axes = 0;
    for (int64_t axis : value.axes) {
      axes |= 1ull << axis;
    }
    auto factor = [&](size_t i) {
      DType from = program.values[value.operands[i]].dtype;
      return evalCast(from, value.dtype, at(value.operands[i], point, valid));
    };
    Scalar sum = reduceIdentity(OpKind::ReduceSum, value.dtype);
    bool more = program.volume(axes) > 0;
    for (; more; more = advance(axes, point)) {
      Scalar product = evalBinary(OpKind::Mul, value.dtype, factor(0), factor(1));
      sum = reduceStep(OpKind::ReduceSum, value.dtype, sum, product);
    }
    return sum;
  }

  Scalar softmaxSum(const Value &value, std::vector<int64_t> &point, bool &valid) const {
    double largest = -std::numeric_limits<double>::infinity();
    uint64_t axes = value.reducedAxes();
    for (bool more = program.volume(axes) > 0; more; more = advance(axes, point)) {
      double logit = at(value.operands[0], point, valid).f;
      largest = std::isnan(logit) || logit > largest ? logit : largest;
    }
    double sum = 0;
    double weighted = 0;
    for (bool more = program.volume(axes) > 0; more; more = advance(axes, point)) {
      double power = std::exp(at(value.operands[0], point, valid).f - largest);
      sum += power;
      weighted += power * at(value.operands[1], point, valid).f;
    }
    bool isHidden = value.guarded && largest == -std::numeric_limits<double>::infinity();
    return Scalar{.f = isHidden ? 0 : weighted / sum};
  }

  Expected<std::vector<Tensor>> store() const {
    std::vector<Tensor> outputs;
    for (size_t port = program.numInputs(); port < program.ports.size(); ++port) {
      const TensorType &type = program.ports[port].type;
      Tensor output = Tensor::zeros(type);
      std::vector<bool> written(static_cast<size_t>(type.numElements()), false);
      for (const Store &store : program.stores) {
        if (store.port == port) {
          ZYXC_RETURN_IF_ERROR(storeAll(store, output, written));
        }
      }
      if (std::find(written.begin(), written.end(), false) != written.end()) {
        return makeError(ErrorCode::Internal, "an element of port {} is not stored", port);
      }
      outputs.push_back(std::move(output));
    }
    return outputs;
  }

  Status storeAll(const Store &store, const Tensor &output, std::vector<bool> &written) const {
    uint64_t axes = sets[store.value];
    for (const IndexExpr &coord : store.coords) {
      for (size_t axis = 0; axis < program.extents.size(); ++axis) {
        axes |= coord.uses(static_cast<int64_t>(axis)) ? 1ull << axis : 0;
      }
    }
    std::vector<int64_t> point(program.extents.size(), 0);
    bool more = program.volume(axes) > 0;
    for (; more; more = advance(axes, point)) {
      int64_t offset = 0;
      for (size_t axis = 0; axis < store.coords.size(); ++axis) {
        int64_t coordinate = store.coords[axis].evaluate(point);
        if (coordinate < 0 || coordinate >= output.shape()[axis]) {
          return makeError(ErrorCode::Internal, "a store lies outside of its port");
        }
        offset = offset * output.shape()[axis] + coordinate;
      }
      bool valid = true;
      Scalar element = at(store.value, point, valid);
      if (!valid || written[offset]) {
        return makeError(ErrorCode::Internal, "element {} is {}", offset,
                         valid ? "stored twice" : "loaded from outside of a port");
      }
      written[offset] = true;
      storeScalar(output.dtype(), element,
                  output.mutableData() + offset * byteSize(output.dtype()));
    }
    return Status::ok();
  }

  const Program &program;
  std::span<const Tensor> inputs;
  std::vector<uint64_t> sets;
  std::vector<Table> tables;
};

} // namespace

Expected<std::vector<Tensor>> evaluate(const Program &program, std::span<const Tensor> inputs,
                                       const dim::Bindings &bindings) {
  ZYXC_ASSIGN(Program bound, bindSizes(program, bindings));
  if (!bound.dims.empty()) {
    return makeError(ErrorCode::Usage, "a size of the program has no value");
  }
  std::vector<Tensor> flat; // a port may be flat where its class is not
  for (size_t port = 0; port < inputs.size(); ++port) {
    flat.push_back(inputs[port].withShape(bound.ports[port].type.shape));
  }
  return Evaluator(bound, flat).run();
}

bool close(const Tensor &a, const Tensor &b, double tolerance) {
  if (!(a.type() == b.type())) {
    return false;
  }
  for (int64_t i = 0; i < a.numElements(); ++i) {
    if (!isFloat(a.dtype())) {
      if (a.asInt(i) != b.asInt(i)) {
        return false;
      }
      continue;
    }
    double x = a.asDouble(i);
    double y = b.asDouble(i);
    bool same = x == y || (std::isnan(x) && std::isnan(y));
    double scale = std::max({std::abs(x), std::abs(y), 1.0});
    if (!same && !(std::abs(x - y) <= tolerance * scale)) {
      return false;
    }
  }
  return true;
}

} // namespace zyxc::kernelize
