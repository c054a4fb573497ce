#include "compiler/kernelize/program/Program.h"
#include "runtime/core/Dim.h"
#include "runtime/support/Hash.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace zyxc::kernelize {

std::string_view name(Family family) {
  switch (family) {
  case Family::Map: return "map";
  case Family::Row: return "row";
  case Family::Contract: return "contract";
  case Family::Attention: return "attention";
  case Family::Scan: return "scan";
  case Family::Routine: return "routine";
  case Family::Given: return "given";
  case Family::Custom: return "custom";
  case Family::Library: return "library";
  case Family::If: return "if";
  case Family::Loop: return "loop";
  }
  return "";
}

size_t Program::numInputs() const {
  return static_cast<size_t>(
      std::count_if(ports.begin(), ports.end(), [](const Port &port) { return !port.output; }));
}

static uint64_t axesOf(const IndexExpr &expr, size_t numAxes) {
  uint64_t axes = 0;
  for (const IndexExpr::Term &term : expr.terms()) {
    if (term.atom.kind != IndexAtom::Kind::Dim) {
      axes |= axesOf(*term.atom.argument, numAxes);
    } else if (term.atom.value < static_cast<int64_t>(numAxes)) {
      axes |= 1ull << term.atom.value;
    }
  }
  return axes;
}

std::vector<uint64_t> Program::axisSets() const {
  std::vector<uint64_t> sets;
  sets.reserve(values.size());
  for (const Value &value : values) {
    uint64_t axes = 0;
    for (const IndexExpr &coord : value.coords) {
      axes |= axesOf(coord, extents.size());
    }
    for (const Constraint &constraint : value.guard) {
      axes |= axesOf(constraint.expr, extents.size());
    }
    for (ValueId operand : value.operands) {
      axes |= sets[operand];
    }
    axes &= ~value.reducedAxes();
    sets.push_back(axes);
  }
  return sets;
}

uint64_t Value::reducedAxes() const {
  uint64_t set = 0;
  if (op == Op::Scan) {
    return set;
  }
  for (int64_t axis : axes) {
    set |= 1ull << axis;
  }
  return set;
}

uint64_t Program::storedAxes() const {
  uint64_t axes = 0;
  for (const Store &store : stores) {
    for (const IndexExpr &coord : store.coords) {
      axes |= axesOf(coord, extents.size());
    }
  }
  return axes;
}

bool Program::reducesStoredAxes() const {
  uint64_t stored = storedAxes();
  return std::any_of(values.begin(), values.end(), [&](const Value &value) {
    return value.op == Value::Op::Reduce && (value.reducedAxes() & stored) != 0;
  });
}

int64_t Program::volume(uint64_t axes) const {
  int64_t product = 1;
  for (; axes != 0; axes &= axes - 1) {
    int64_t extent = extents[std::countr_zero(axes)];
    bool symbolic = dim::isSymbolic(product) || dim::isSymbolic(extent);
    product = symbolic ? dim::mul(product, extent) : product * extent;
  }
  return product;
}

namespace {
/// Feeds every field of a program into one hash.
struct Hasher {
  uint64_t state = 0x7a79786b;

  void add(uint64_t value) { state = hashMix(state, value); }
  /// A size: by its text, which is the same in each process.
  void add(int64_t size) {
    add(dim::isSymbolic(size) ? hashString(dim::toString(size)) : static_cast<uint64_t>(size));
  }
  void add(const IndexExpr &expr) {
    add(expr.terms().size());
    add(expr.constant());
    for (const IndexExpr::Term &term : expr.terms()) {
      add(term.coefficient);
      add(static_cast<uint64_t>(term.atom.kind));
      add(term.atom.value);
      if (term.atom.argument) {
        add(*term.atom.argument);
      }
    }
  }
  template <class T> void addAll(const std::vector<T> &list) {
    add(list.size());
    for (const T &item : list) {
      add(item);
    }
  }
  void add(const Constraint &constraint) {
    add(constraint.expr);
    add(constraint.low);
    add(constraint.high);
  }
  void add(uint32_t value) { add(static_cast<uint64_t>(value)); }
  void add(const Value &value) {
    add(static_cast<uint64_t>(value.op) << 32 | static_cast<uint64_t>(value.dtype) << 16 |
        static_cast<uint64_t>(value.kind) << 4 | static_cast<uint64_t>(value.guarded) << 3 |
        static_cast<uint64_t>(value.exclusive) << 2 | static_cast<uint64_t>(value.reverse) << 1 |
        static_cast<uint64_t>(value.last));
    add(value.port);
    add(value.literal);
    addAll(value.operands);
    addAll(value.coords);
    addAll(value.guard);
    addAll(value.axes);
  }
  void add(const Port &port) {
    add(static_cast<uint64_t>(port.type.dtype) << 2 | static_cast<uint64_t>(port.isRead) << 1 |
        static_cast<uint64_t>(port.output));
    addAll(port.type.shape);
  }
  void add(const Store &store) {
    add(store.value);
    add(store.port);
    addAll(store.coords);
  }
};
} // namespace

/// All of a custom kernel but its code.
static std::string toText(const CustomSource &custom) {
  std::vector<int64_t> numbers(custom.grid.begin(), custom.grid.end());
  numbers.insert(numbers.end(), {custom.block, custom.sharedBytes});
  numbers.insert(numbers.end(), custom.dims.begin(), custom.dims.end());
  std::vector<std::string> sizes(numbers.size());
  std::transform(numbers.begin(), numbers.end(), sizes.begin(),
                 [](int64_t size) { return dim::toString(size); });
  return fmt::format("{} {} '{}' ({})", custom.kernel, name(custom.form), custom.entry,
                     fmt::join(sizes, ", "));
}

uint64_t Program::hash() const {
  Hasher hasher;
  hasher.add(static_cast<uint64_t>(family));
  hasher.addAll(extents);
  hasher.addAll(ports);
  hasher.addAll(values);
  hasher.addAll(stores);
  hasher.add(hashString(custom ? kernelize::toText(*custom) + custom->code : routine));
  hasher.addAll(params);
  return hasher.state;
}

bool Program::identical(const Program &other) const {
  auto samePort = [](const Port &a, const Port &b) {
    return a.type == b.type && a.output == b.output && a.isRead == b.isRead;
  };
  auto sameStore = [](const Store &a, const Store &b) {
    return a.value == b.value && a.port == b.port && a.coords == b.coords;
  };
  return family == other.family && extents == other.extents && values == other.values &&
         routine == other.routine && params == other.params && bool(custom) == bool(other.custom) &&
         (!custom || *custom == *other.custom) &&
         std::equal(ports.begin(), ports.end(), other.ports.begin(), other.ports.end(), samePort) &&
         std::equal(stores.begin(), stores.end(), other.stores.begin(), other.stores.end(),
                    sameStore);
}

static std::string toText(const std::vector<IndexExpr> &coords) {
  std::string text = "[";
  for (size_t i = 0; i < coords.size(); ++i) {
    text += (i ? ", " : "") + coords[i].toString();
  }
  return text + "]";
}

static std::string toText(const Value &value) {
  std::string text;
  switch (value.op) {
  case Value::Op::Literal: {
    Scalar scalar = std::bit_cast<Scalar>(value.literal);
    text = isFloat(value.dtype) ? fmt::format("literal {}", scalar.f)
                                : fmt::format("literal {}", scalar.i);
    break;
  }
  case Value::Op::Index: text = "index " + value.coords[0].toString(); break;
  case Value::Op::Load: text = fmt::format("load %p{}{}", value.port, toText(value.coords)); break;
  case Value::Op::Scalar: text = zyxc::name(value.kind); break;
  case Value::Op::Where: text = "where"; break;
  case Value::Op::Reduce:
    text = fmt::format("{}{}", zyxc::name(value.kind), value.last ? " last" : "");
    break;
  case Value::Op::Contract: text = "contract"; break;
  case Value::Op::SoftmaxSum: text = value.guarded ? "softmax_sum guarded" : "softmax_sum"; break;
  case Value::Op::Scan:
    text = fmt::format("{}{}{}", zyxc::name(value.kind), value.exclusive ? " exclusive" : "",
                       value.reverse ? " reverse" : "");
    break;
  }
  for (size_t i = 0; i < value.operands.size(); ++i) {
    text += fmt::format("{}%{}", i ? ", " : " ", value.operands[i]);
  }
  for (size_t i = 0; i < value.guard.size(); ++i) {
    const Constraint &constraint = value.guard[i];
    text += fmt::format("{}{} <= {} < {}", i ? ", " : " if ", dim::toString(constraint.low),
                        constraint.expr.toString(), dim::toString(constraint.high));
  }
  if (!value.axes.empty()) {
    text += value.op == Value::Op::Scan ? fmt::format(" along d{}", value.axes[0])
                                        : fmt::format(" over [d{}]", fmt::join(value.axes, ", d"));
  }
  return fmt::format("{} : {}", text, zyxc::name(value.dtype));
}

std::string Program::toText() const {
  std::string text = fmt::format("{} axes(", name(family));
  for (size_t i = 0; i < extents.size(); ++i) {
    text += fmt::format("{}d{} < {}", i ? ", " : "", i, dim::toString(extents[i]));
  }
  text += ") ports(";
  for (size_t i = 0; i < ports.size(); ++i) {
    std::string_view mode = ports[i].isRead ? "inout" : ports[i].output ? "out" : "in";
    text += fmt::format("{}%p{}: {} {}", i ? ", " : "", i, mode, toString(ports[i].type));
  }
  if (custom) {
    return text + fmt::format(") {{\n  {}\n}}\n", kernelize::toText(*custom));
  }
  if (isOnWholePorts(family)) {
    std::string list;
    for (int64_t param : params) {
      list += (list.empty() ? "" : ", ") + dim::toString(param);
    }
    return text + fmt::format(") {{\n  {}({})\n}}\n", routine, list);
  }
  text += ") {\n";
  for (size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("  %{} = {}\n", i, kernelize::toText(values[i]));
  }
  for (const Store &store : stores) {
    text += fmt::format("  store %{}, %p{}{}\n", store.value, store.port,
                        kernelize::toText(store.coords));
  }
  return text + "}\n";
}

} // namespace zyxc::kernelize
