#include "compiler/kernelize/ProgramBuilder.h"
#include "compiler/graph/InvertView.h"
#include "compiler/kernelize/program/Normalize.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "compiler/kernelize/program/ValueTable.h"
#include "dialects/zyx/semantics/Infer.h"
#include <algorithm>
#include <map>
#include <set>

namespace zyxc::kernelize {

namespace {

using Coords = std::vector<IndexExpr>;

class Builder {
public:
  /// The kernel's axes are those of the class `domain`: the root, or one that is computed below it.
  Builder(const graph::TensorGraph &graph, ClassId root, const Cut &cut, const Caps &caps,
          ClassId domain)
      : graph(graph), cut(cut), caps(caps), root(graph.find(root)), domain(domain) {}

  std::optional<BuiltProgram> run() {
    const TensorType &type = graph.type(root);
    std::optional<Coords> fromDomain = rootCoordsOfDomain();
    std::optional<ValueId> value;
    if (fromDomain) {
      value = build(root, *fromDomain);
    }
    if (!value) {
      return std::nullopt;
    }
    Coords coords = *std::move(fromDomain);
    std::vector<Store> stores = {{*value, 0, std::move(coords)}};
    std::vector<Port> outputs = {{type, true}};
    for (ClassId stored : cut.stores) {
      std::optional<Store> store = buildStore(stored, stores[0].coords);
      // One value in two places is a matter of views.
      bool isTwin = store && std::any_of(stores.begin(), stores.end(), [&](const Store &other) {
                      return other.value == store->value;
                    });
      if (!store || isTwin) {
        return std::nullopt;
      }
      stores.push_back(*std::move(store));
      outputs.push_back({graph.type(stored), true});
    }
    BuiltProgram built;
    Program &program = built.program;
    program.extents = std::move(extents);
    for (ClassId input : inputs) {
      program.ports.push_back({graph.type(input), false});
    }
    for (size_t i = 0; i < stores.size(); ++i) {
      stores[i].port = static_cast<uint32_t>(program.ports.size());
      program.ports.push_back(std::move(outputs[i]));
    }
    program.values = table.take();
    program.stores = std::move(stores);
    std::vector<uint32_t> portOrder;
    bool fits = cut.single || (static_cast<int>(program.ports.size()) <= caps.ports &&
                               static_cast<int>(program.values.size()) <= caps.ops);
    bool mayRepeat = cut.single && cut.interior.size() == 1;
    if (!fits || !normalize(program, portOrder, mayRepeat)) {
      return std::nullopt;
    }
    for (uint32_t port : portOrder) {
      built.inputs.push_back(inputs[port]);
    }
    return built;
  }

private:
  //===- Other classes that are stored --------------------------------------------------------===//

  /// Coordinates that take every element of a shape once: distinct whole axes, and 0 along what has
  /// one element.
  bool isWhole(const Coords &coords, const Shape &shape) const {
    uint64_t seen = 0;
    for (size_t i = 0; i < coords.size(); ++i) {
      if (shape[i] == 1 && coords[i] == IndexExpr(0)) {
        continue;
      }
      int64_t axis = coords[i].asDim();
      bool isOwn = axis >= 0 && axis < static_cast<int64_t>(extents.size()) &&
                   extents[axis] == shape[i] && !(seen >> axis & 1);
      if (!isOwn) {
        return false;
      }
      seen |= 1ull << axis;
    }
    return true;
  }

  /// Coordinates at which a class was computed or loaded already, each element once.
  std::optional<Coords> knownCoords(ClassId cls) const {
    const Shape &shape = graph.type(cls).shape;
    for (auto entry = memo.lower_bound({cls, {}}); entry != memo.end(); ++entry) {
      const auto &[known, coords] = entry->first;
      if (known != cls) {
        break;
      }
      if (isWhole(coords, shape)) {
        return coords;
      }
    }
    return std::nullopt;
  }

  /// The same for a class that was not: where it is computed beside the first class below it that
  /// was. (A sum beside the rows that it is of.)
  std::optional<Coords> coordsBeside(ClassId cls) {
    std::optional<Coords> known = knownCoords(cls);
    const Interior *entry = cut.find(cls);
    if (known || !entry || !visited.emplace(cls).second) {
      return known;
    }
    OpKind kind = graph.kind(entry->node);
    if (!isElementwise(kind) && !isReduce(kind) && kind != OpKind::View) {
      return std::nullopt;
    }
    for (ClassId operand : graph.operands(entry->node)) {
      std::optional<Coords> below = coordsBeside(operand);
      if (!below) {
        continue;
      }
      if (kind == OpKind::View) {
        std::optional<IndexMap> inverse =
            graph::invertView(graph.attrs(entry->node).getMap("map"), graph.type(cls).shape,
                              graph.type(operand).shape);
        return inverse ? std::optional(through(*inverse, *below)) : std::nullopt;
      }
      if (isReduce(kind)) {
        const std::vector<int64_t> &axes = graph.attrs(entry->node).getInts("axes");
        for (size_t i = axes.size(); i-- > 0;) {
          below->erase(below->begin() + axes[i]);
        }
      }
      return below;
    }
    return std::nullopt;
  }

  /// Stores a class that was computed on the way to the root, at all of its elements; or, where it
  /// was not, beside what it shares with the root.
  std::optional<Store> buildStore(ClassId cls, const Coords &rootCoords) {
    const TensorType &type = graph.type(cls);
    std::optional<Coords> coords = knownCoords(cls);
    if (!coords && !cut.hasAnchor()) {
      visited.clear();
      coords = type.shape == graph.type(root).shape ? rootCoords : coordsBeside(cls);
    }
    if (!coords || coords->size() != type.shape.size() ||
        (type.shape != graph.type(root).shape && !isWhole(*coords, type.shape))) {
      return std::nullopt;
    }
    std::optional<ValueId> value = build(cls, *coords);
    return value ? std::optional(Store{*value, 0, *std::move(coords)}) : std::nullopt;
  }

  //===- The coordinates of another class as the kernel's axes --------------------------------===//

  /// Map from coordinates of a class to those of the domain below it, along the first path of ops
  /// that keep or move elements.
  std::optional<IndexMap> mapToDomain(ClassId cls) {
    if (cls == domain) {
      return IndexMap::identity(graph.type(cls).rank());
    }
    const Interior *entry = cut.find(cls);
    if (!entry || !visited.emplace(cls).second) {
      return std::nullopt;
    }
    OpKind kind = graph.kind(entry->node);
    if (!isElementwise(kind) && kind != OpKind::View) {
      return std::nullopt; // merging cuts may have put the anchor below a reduction
    }
    for (ClassId operand : graph.operands(entry->node)) {
      std::optional<IndexMap> below = mapToDomain(operand);
      if (below && kind == OpKind::View) {
        return compose(*below, graph.attrs(entry->node).getMap("map"), graph.type(cls).shape);
      }
      if (below) {
        return below;
      }
    }
    return std::nullopt;
  }

  std::optional<Coords> rootCoordsOfDomain() {
    extents = graph.type(domain).shape;
    if (domain == root) {
      return IndexMap::identity(graph.type(root).rank()).results;
    }
    std::optional<IndexMap> map = mapToDomain(root);
    std::optional<IndexMap> inverse;
    if (map) {
      inverse = graph::invertView(*map, graph.type(root).shape, extents);
    }
    return inverse ? std::optional(std::move(inverse->results)) : std::nullopt;
  }

  bool isOwnCoords(const Coords &coords) const {
    for (size_t i = 0; i < coords.size(); ++i) {
      if (extents[i] != 1 && coords[i].asDim() != static_cast<int64_t>(i)) {
        return false;
      }
    }
    return true;
  }

  //===- Values -------------------------------------------------------------------------------===//

  /// The value of a class at coordinates; nothing if the kernel is not legal.
  std::optional<ValueId> build(ClassId cls, const Coords &coords) {
    if (hasTooManyAxes()) {
      return std::nullopt;
    }
    const Interior *entry = cut.find(cls);
    if (!entry) {
      if (const Tensor *splat = graph.splat(cls)) {
        return table.literal(splat->dtype(), loadScalar(splat->dtype(), splat->data()));
      }
    }
    auto key = std::pair(cls, coords);
    if (auto known = memo.find(key); known != memo.end()) {
      return known->second;
    }
    if (!entry) {
      std::optional<ValueId> value = load(cls, coords);
      if (value) {
        memo.emplace(std::move(key), *value);
      }
      return value;
    }
    bool tooLarge = !cut.single && table.size() > 4 * static_cast<size_t>(caps.ops);
    if (tooLarge || !open.emplace(cls).second) {
      return std::nullopt; // too large, or the chosen nodes form a cycle
    }
    std::optional<ValueId> value = buildNode(*entry, coords);
    open.erase(cls);
    if (value) {
      memo.emplace(std::move(key), *value);
    }
    return value;
  }

  std::optional<ValueId> buildNode(const Interior &entry, const Coords &coords) {
    OpKind kind = graph.kind(entry.node);
    const Attrs &attrs = graph.attrs(entry.node);
    std::vector<ClassId> operands = graph.operands(entry.node);
    if (isElementwise(kind)) {
      return buildElementwise(kind, graph.type(entry.cls).dtype, std::move(operands), coords);
    }
    if (isReduce(kind)) {
      return buildReduce(kind, attrs, operands[0], coords);
    }
    switch (kind) {
    case OpKind::View: return build(operands[0], through(attrs.getMap("map"), coords));
    case OpKind::Pad: return buildPad(attrs, operands, coords);
    case OpKind::Concat: return buildConcat(attrs, operands, coords);
    case OpKind::Gather: return buildGather(attrs, operands, coords);
    case OpKind::Variable: return sizeValue(attrs.getString("name"));
    case OpKind::Iota:
      return table.cast(index(coords[attrs.getInt("axis")]), attrs.getDType("dtype"));
    case OpKind::Contract:
      if (!entry.expanded && !isScores(entry.cls) &&
          (cut.anchor != entry.cls || !isOwnCoords(coords))) {
        return std::nullopt;
      }
      return buildContract(attrs, operands, coords, entry);
    default: return std::nullopt;
    }
  }

  Coords through(const IndexMap &map, const Coords &coords) const {
    Coords result;
    for (const IndexExpr &expr : map.results) {
      result.push_back(substitute(expr, coords, extents));
    }
    return result;
  }

  /// Values that stand for dims beyond the axes in these coordinates, in order of use.
  void collectSymbols(const IndexExpr &expr, std::vector<int64_t> &symbols) const {
    for (const IndexExpr::Term &term : expr.terms()) {
      if (term.atom.kind != IndexAtom::Kind::Dim) {
        collectSymbols(*term.atom.argument, symbols);
      } else if (term.atom.value >= firstSymbol &&
                 std::find(symbols.begin(), symbols.end(), term.atom.value) == symbols.end()) {
        symbols.push_back(term.atom.value);
      }
    }
  }

  bool hasSymbols(const IndexExpr &expr) const {
    std::vector<int64_t> symbols;
    collectSymbols(expr, symbols);
    return !symbols.empty();
  }

  /// Dims from firstSymbol on are symbols: an axis must not become one.
  bool hasTooManyAxes() const { return static_cast<int64_t>(extents.size()) > firstSymbol; }

  std::optional<ValueId> load(ClassId cls, const Coords &coords) {
    if (hasTooManyAxes()) {
      return std::nullopt;
    }
    Value value;
    value.op = Value::Op::Load;
    value.dtype = graph.type(cls).dtype;
    value.coords = coords;
    auto at = std::find(inputs.begin(), inputs.end(), cls);
    value.port = static_cast<uint32_t>(at - inputs.begin());
    if (at == inputs.end()) {
      inputs.push_back(cls);
    }
    std::vector<int64_t> symbols;
    for (const IndexExpr &coord : coords) {
      collectSymbols(coord, symbols);
    }
    for (int64_t symbol : symbols) {
      value.operands.push_back(symbolValues[symbol - firstSymbol]);
    }
    if (!symbols.empty()) {
      renumberSymbols(value.coords, symbols);
    }
    return table.add(std::move(value));
  }

  /// Makes symbol k of the list dim firstSymbol + k.
  void renumberSymbols(Coords &coords, const std::vector<int64_t> &symbols) const {
    std::vector<IndexExpr> replacements;
    for (int64_t i = 0; i < firstSymbol + static_cast<int64_t>(symbolValues.size()); ++i) {
      auto at = std::find(symbols.begin(), symbols.end(), i);
      replacements.push_back(
          IndexExpr::dim(at == symbols.end() ? i : firstSymbol + (at - symbols.begin())));
    }
    for (IndexExpr &coord : coords) {
      coord = substitute(coord, replacements, extents);
    }
  }

  /// A coordinate as an i64 value.
  ValueId index(const IndexExpr &expr) {
    if (expr.isConstant()) {
      return table.integer(expr.constant());
    }
    if (!hasSymbols(expr)) {
      Value value;
      value.op = Value::Op::Index;
      value.dtype = DType::I64;
      value.coords = {expr};
      return table.add(std::move(value));
    }
    ValueId sum = table.integer(expr.constant());
    for (const IndexExpr::Term &term : expr.terms()) {
      ValueId product = table.scalar(OpKind::Mul, DType::I64,
                                     {atomIndex(term.atom), table.integer(term.coefficient)});
      sum = table.scalar(OpKind::Add, DType::I64, {sum, product});
    }
    return sum;
  }

  ValueId atomIndex(const IndexAtom &atom) {
    switch (atom.kind) {
    case IndexAtom::Kind::Dim:
      return atom.value >= firstSymbol ? symbolValues[atom.value - firstSymbol]
                                       : index(IndexExpr::dim(atom.value));
    case IndexAtom::Kind::Mod:
      return table.scalar(OpKind::Mod, DType::I64,
                          {index(*atom.argument), table.integer(atom.value)});
    case IndexAtom::Kind::FloorDiv: break;
    }
    // The argument may be negative: (x - mod(x, n)) / n is exact.
    ValueId argument = index(*atom.argument);
    ValueId divisor = table.integer(atom.value);
    ValueId rest = table.scalar(OpKind::Mod, DType::I64, {argument, divisor});
    ValueId whole = table.scalar(OpKind::Sub, DType::I64, {argument, rest});
    return table.scalar(OpKind::Div, DType::I64, {whole, divisor});
  }

  /// The value of a size at run time.
  std::optional<ValueId> sizeValue(std::string_view text) {
    Expected<int64_t> size = dim::parse(text);
    return size ? std::optional(table.integer(*size)) : std::nullopt;
  }

  /// Operands that commute are in the order of their ids, and a number may be older than what it
  /// meets, or not: it comes last, so that equal ops become equal programs.
  std::optional<ValueId> buildElementwise(OpKind kind, DType dtype, std::vector<ClassId> operands,
                                          const Coords &coords) {
    if (info(kind).commutative && operands.size() == 2 && graph.splat(operands[0]) &&
        !graph.splat(operands[1])) {
      std::swap(operands[0], operands[1]);
    }
    std::vector<ValueId> values;
    for (ClassId operand : operands) {
      std::optional<ValueId> value = build(operand, coords);
      if (!value) {
        return std::nullopt;
      }
      values.push_back(*value);
    }
    return table.scalar(kind, dtype, std::move(values));
  }

  /// Adds the constraint unless it always holds; false if it never holds. (Both are proved for all
  /// values of symbolic sizes.)
  bool constrain(const IndexExpr &expr, int64_t low, int64_t high, Value &where) const {
    auto [least, most] =
        hasSymbols(expr) ? std::pair(-dim::limit, dim::limit) : expr.range(extents);
    if (dim::provablyLess(most, low) || dim::provablyAtMost(high, least)) {
      return false;
    }
    if (!dim::provablyAtMost(low, least) || !dim::provablyLess(most, high)) {
      where.guard.push_back({expr, low, high});
    }
    return true;
  }

  std::optional<ValueId> buildPad(const Attrs &attrs, const std::vector<ClassId> &operands,
                                  const Coords &coords) {
    const std::vector<int64_t> &low = attrs.getInts("low");
    const Shape &shape = graph.type(operands[0]).shape;
    std::optional<ValueId> padding = build(operands[1], {});
    if (!padding) {
      return std::nullopt;
    }
    Value where;
    where.op = Value::Op::Where;
    Coords inner;
    for (size_t axis = 0; axis < coords.size(); ++axis) {
      inner.push_back(coords[axis] - IndexExpr(low[axis]));
      if (hasSymbols(inner.back())) {
        return std::nullopt; // guards are sets over axes
      }
      if (!constrain(inner.back(), 0, shape[axis], where)) {
        return padding;
      }
    }
    std::optional<ValueId> value = build(operands[0], inner);
    if (!value || where.guard.empty()) {
      return value;
    }
    where.dtype = graph.type(operands[0]).dtype;
    where.operands = {*value, *padding};
    return table.add(std::move(where));
  }

  std::optional<ValueId> buildConcat(const Attrs &attrs, const std::vector<ClassId> &operands,
                                     const Coords &coords) {
    int64_t axis = attrs.getInt("axis");
    if (hasSymbols(coords[axis])) {
      return std::nullopt;
    }
    // From the last operand to the first: where(first) else where(second) else ... last.
    std::optional<ValueId> result;
    int64_t end = 0;
    for (ClassId operand : operands) {
      end = dim::add(end, graph.type(operand).shape[axis]);
    }
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
      int64_t start = dim::sub(end, graph.type(*operand).shape[axis]);
      Coords inner = coords;
      inner[axis] = coords[axis] - IndexExpr(start);
      Value where;
      where.op = Value::Op::Where;
      bool occurs = start != end && constrain(coords[axis], start, end, where);
      end = start;
      if (!occurs) {
        continue;
      }
      std::optional<ValueId> value = build(*operand, inner);
      if (!value) {
        return std::nullopt;
      }
      if (where.guard.empty()) {
        result = value;
        continue;
      }
      if (!result) { // no other operand is left, but loads rely on the guard
        result = table.literal(graph.type(*operand).dtype, Scalar{.i = 0});
      }
      where.dtype = graph.type(*operand).dtype;
      where.operands = {*value, *result};
      result = table.add(std::move(where));
    }
    return result;
  }

  /// The dim that stands for a value: equal values are one, so equal coordinates stay equal.
  int64_t symbolOf(ValueId value) {
    auto at = std::find(symbolValues.begin(), symbolValues.end(), value);
    int64_t number = at - symbolValues.begin();
    if (at == symbolValues.end()) {
      symbolValues.push_back(value);
    }
    return firstSymbol + number;
  }

  std::optional<ValueId> buildGather(const Attrs &attrs, const std::vector<ClassId> &operands,
                                     const Coords &coords) {
    int64_t axis = attrs.getInt("axis");
    int64_t rank = graph.type(operands[1]).rank();
    int64_t size = graph.type(operands[0]).shape[axis];
    Coords picked(coords.begin() + axis, coords.begin() + axis + rank);
    std::optional<ValueId> raw = build(operands[1], picked);
    if (!raw) {
      return std::nullopt;
    }
    auto i64 = [&](OpKind kind, ValueId x, ValueId y) {
      return table.scalar(kind, DType::I64, {x, y});
    };
    auto last = [&] {
      return table.integer(dim::sub(size, 1));
    };
    if (graph.type(operands[1]).dtype == DType::U64) { // large ones must not look negative
      raw = table.scalar(OpKind::Min, DType::U64, {*raw, table.cast(last(), DType::U64)});
    }
    ValueId position = table.cast(*raw, DType::I64);
    ValueId zero = table.integer(0);
    ValueId isNegative = table.scalar(OpKind::Lt, DType::Bool, {position, zero});
    ValueId fromEnd = i64(OpKind::Add, position, table.integer(size));
    position = table.scalar(OpKind::Select, DType::I64, {isNegative, fromEnd, position});
    position = i64(OpKind::Min, i64(OpKind::Max, position, zero), last());
    Coords inner(coords.begin(), coords.begin() + axis);
    inner.push_back(IndexExpr::dim(symbolOf(position)));
    inner.insert(inner.end(), coords.begin() + axis + rank, coords.end());
    return build(operands[0], inner);
  }

  IndexExpr newAxis(int64_t extent) {
    extents.push_back(extent);
    return IndexExpr::dim(static_cast<int64_t>(extents.size()) - 1);
  }

  std::optional<ValueId> buildReduce(OpKind kind, const Attrs &attrs, ClassId operand,
                                     const Coords &coords) {
    const TensorType &type = graph.type(operand);
    const std::vector<int64_t> &axes = attrs.getInts("axes");
    if (type.numElements() == 0) {
      return table.literal(type.dtype, reduceIdentity(kind, type.dtype));
    }
    Value reduce;
    reduce.op = Value::Op::Reduce;
    reduce.kind = kind;
    Coords inner;
    auto next = coords.begin();
    for (int64_t axis = 0; axis < type.rank(); ++axis) {
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
        inner.push_back(*next++);
      } else {
        reduce.axes.push_back(static_cast<int64_t>(extents.size()));
        inner.push_back(newAxis(type.shape[axis]));
      }
    }
    std::optional<ValueId> value = build(operand, inner);
    if (!value) {
      return std::nullopt;
    }
    if (kind == OpKind::ArgMax || kind == OpKind::ArgMin) {
      reduce.last = attrs.getInt("last") != 0;
      reduce.dtype = DType::I64;
      reduce.operands = {*value};
      return table.add(std::move(reduce));
    }
    // Sums and products of narrow floats are formed in f32.
    bool widens = isFloat(type.dtype) && (kind == OpKind::ReduceSum || kind == OpKind::ReduceProd);
    reduce.dtype = widens ? accumulatorOf(type.dtype) : type.dtype;
    reduce.operands = {table.cast(*value, reduce.dtype)};
    return table.cast(table.add(std::move(reduce)), type.dtype);
  }

  bool isScores(ClassId cls) const { return cut.attention && cut.attention->scores == cls; }

  /// Moves the coordinates in an operand of the anchor down to its softmax, if that is a part of
  /// the kernel. Roundings on the way are left out.
  bool moveToSoftmax(ClassId cls, Coords &coords) const {
    Coords moved = coords;
    while (cut.attention && cls != cut.attention->softmax) {
      const Interior *entry = cut.find(cls);
      OpKind kind = entry ? graph.kind(entry->node) : OpKind::Leaf;
      if (kind != OpKind::View && kind != OpKind::Cast) {
        return false;
      }
      if (kind == OpKind::View) {
        moved = through(graph.attrs(entry->node).getMap("map"), moved);
      }
      cls = graph.operands(entry->node)[0];
    }
    coords = std::move(moved);
    return cut.attention.has_value();
  }

  /// In the type in which the softmax is computed.
  std::optional<ValueId> buildLogits(const Coords &coords) {
    ClassId cls = cut.attention->logits;
    std::optional<ValueId> logits = build(cls, coords);
    if (logits) {
      logits = table.cast(*logits, accumulatorOf(graph.type(cls).dtype));
    }
    return logits;
  }

  std::optional<ValueId> buildContract(const Attrs &attrs, const std::vector<ClassId> &operands,
                                       const Coords &coords, const Interior &entry) {
    bool expanded = entry.expanded;
    DType accumulate = attrs.getDType("accumulate");
    DType dtype = attrs.getDType("dtype");
    std::map<int64_t, IndexExpr> byLabel;
    const std::vector<int64_t> &out = attrs.getInts("out");
    for (size_t i = 0; i < out.size(); ++i) {
      byLabel.emplace(out[i], coords[i]);
    }
    Value sum;
    sum.op = expanded ? Value::Op::Reduce : Value::Op::Contract;
    sum.kind = OpKind::ReduceSum;
    sum.dtype = accumulate;
    for (int side = 0; side < 2; ++side) {
      const Shape &shape = graph.type(operands[side]).shape;
      if (numElements(shape) == 0) {
        return table.literal(dtype, Scalar{.i = 0}); // all bits zero is 0.0 too
      }
      const std::vector<int64_t> &labels = attrs.getInts(side == 0 ? "lhs" : "rhs");
      Coords inner;
      for (size_t i = 0; i < labels.size(); ++i) {
        auto known = byLabel.find(labels[i]);
        if (known == byLabel.end()) {
          sum.axes.push_back(static_cast<int64_t>(extents.size()));
          known = byLabel.emplace(labels[i], newAxis(shape[i])).first;
        }
        inner.push_back(known->second);
      }
      // A contraction reads memory on both sides, also where the value is the same everywhere.
      bool mustLoad = !expanded && !cut.find(operands[side]);
      bool isLogits = cut.anchor == entry.cls && sum.op == Value::Op::Contract &&
                      moveToSoftmax(operands[side], inner);
      std::optional<ValueId> value = mustLoad   ? load(operands[side], inner)
                                     : isLogits ? buildLogits(inner)
                                                : build(operands[side], inner);
      if (!value) {
        return std::nullopt;
      }
      if (isLogits) {
        sum.op = Value::Op::SoftmaxSum;
        sum.guarded = cut.attention->isGuarded;
        sum.operands.insert(sum.operands.begin(), *value);
        continue;
      }
      sum.operands.push_back(expanded ? table.cast(*value, accumulate) : *value);
    }
    if (expanded) {
      sum.operands = {table.scalar(OpKind::Mul, accumulate, sum.operands)};
    }
    return table.cast(table.add(std::move(sum)), dtype);
  }

  static constexpr int64_t firstSymbol = symbolBase;

  const graph::TensorGraph &graph;
  const Cut &cut;
  const Caps &caps;
  ClassId root;
  ClassId domain;
  ValueTable table;
  std::vector<int64_t> extents;
  std::vector<ClassId> inputs; ///< by port
  std::vector<ValueId> symbolValues;
  std::map<std::pair<ClassId, Coords>, ValueId> memo;
  std::set<ClassId> open;
  std::set<ClassId> visited;
};

/// A class of as many elements as the root that the root is made of by ops that keep elements and
/// one view: there rows may be whole that the root's axes divide (channels of a group).
std::optional<ClassId> viewedClass(const graph::TensorGraph &graph, ClassId root, const Cut &cut) {
  std::vector<ClassId> work = {root};
  for (size_t i = 0; i < work.size(); ++i) { // each class adds its operands behind it
    const Interior *entry = cut.find(work[i]);
    OpKind kind = entry ? graph.kind(entry->node) : OpKind::Leaf;
    if (!isElementwise(kind) && kind != OpKind::View) {
      continue;
    }
    for (ClassId operand : graph.operands(entry->node)) {
      bool isSame = numElements(graph.type(operand).shape) == numElements(graph.type(root).shape);
      if (kind == OpKind::View && isSame && cut.find(operand)) {
        return operand;
      }
      if (kind != OpKind::View && isSame &&
          std::find(work.begin(), work.end(), operand) == work.end()) {
        work.push_back(operand);
      }
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<BuiltProgram> buildProgram(const graph::TensorGraph &graph, ClassId cls,
                                         const Cut &cut, const Caps &caps) {
  ClassId root = graph.find(cls);
  if (cut.hasAnchor()) {
    return Builder(graph, root, cut, caps, cut.anchor).run();
  }
  std::optional<BuiltProgram> built = Builder(graph, root, cut, caps, root).run();
  if (built || cut.levels == 0 || cut.single) {
    return built;
  }
  std::optional<ClassId> viewed = viewedClass(graph, root, cut);
  return viewed ? Builder(graph, root, cut, caps, *viewed).run() : std::nullopt;
}

/// One flat axis over all elements.
static Program flatProgram(const TensorType &type) {
  Program program;
  program.extents = {type.numElements()};
  return program;
}

Program fillProgram(const TensorType &type, const Tensor &value) {
  Program program = flatProgram(type);
  ValueTable table;
  ValueId literal = table.literal(type.dtype, loadScalar(type.dtype, value.data()));
  program.values = table.take();
  program.ports = {{{type.dtype, {type.numElements()}}, true}};
  program.stores = {{literal, 0, {IndexExpr::dim(0)}}};
  findDims(program);
  return program;
}

Program copyProgram(const TensorType &type) {
  Program program = flatProgram(type);
  Value load;
  load.op = Value::Op::Load;
  load.dtype = type.dtype;
  load.coords = {IndexExpr::dim(0)};
  program.values = {load};
  TensorType flat{type.dtype, {type.numElements()}};
  program.ports = {{flat, false}, {flat, true}};
  program.stores = {{0, 1, {IndexExpr::dim(0)}}};
  findDims(program);
  return program;
}

Program storeProgram(const TensorType &type, const IndexMap &map, const TensorType &into) {
  Program program;
  Value load;
  load.op = Value::Op::Load;
  load.dtype = type.dtype;
  // Axes of one element have no coordinate.
  std::vector<IndexExpr> axes;
  for (int64_t extent : type.shape) {
    axes.push_back(extent == 1 ? IndexExpr(0)
                               : IndexExpr::dim(static_cast<int64_t>(program.extents.size())));
    if (extent != 1) {
      program.extents.push_back(extent);
    }
  }
  load.coords = axes;
  program.values = {load};
  program.ports = {{type, false}, {into, true}};
  Store store{0, 1, {}};
  for (const IndexExpr &coord : map.results) {
    store.coords.push_back(substitute(coord, axes, program.extents));
  }
  program.stores = {std::move(store)};
  findDims(program);
  return program;
}

} // namespace zyxc::kernelize
