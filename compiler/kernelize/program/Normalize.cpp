#include "compiler/kernelize/program/Normalize.h"
#include "compiler/kernelize/program/AttentionForm.h"
#include "compiler/kernelize/program/ProgramSizes.h"
#include "compiler/kernelize/program/ValueTable.h"
#include <algorithm>
#include <bit>
#include <optional>

namespace zyxc::kernelize {

namespace {

//===- Rewriting ------------------------------------------------------------------------------===//

std::vector<bool> usedValues(const Program &program) {
  std::vector<bool> used(program.values.size(), false);
  for (const Store &store : program.stores) {
    used[store.value] = true;
  }
  for (size_t id = program.values.size(); id-- > 0;) {
    for (ValueId operand : program.values[id].operands) {
      used[operand] = used[operand] || used[id];
    }
  }
  return used;
}

/// Some load has a coordinate that is a value: dims from symbolBase on occur.
bool hasPlaceholders(const Program &program) {
  return std::any_of(program.values.begin(), program.values.end(), [](const Value &value) {
    return value.op == Value::Op::Load && !value.operands.empty();
  });
}

/// Replaces axis i by `axes[i]` (a constant or an expression over axes of `extents`, all of which
/// an op combines over if it did over axis i) everywhere, merges equal values and drops unused
/// ones.
class Rewriter {
public:
  Rewriter(Program &program, const std::vector<IndexExpr> &axes, std::vector<int64_t> extents)
      : program(program), replacements(axes), extents(std::move(extents)) {
    if (hasPlaceholders(program)) {
      for (int64_t dim = static_cast<int64_t>(axes.size()); dim < symbolBase + maxSymbols; ++dim) {
        replacements.push_back(IndexExpr::dim(dim));
      }
    }
  }

  void run() {
    std::vector<bool> used = usedValues(program);
    sets = program.axisSets();
    renamed.assign(program.values.size(), 0);
    for (size_t id = 0; id < program.values.size(); ++id) {
      if (used[id]) {
        renamed[id] = rewrite(std::move(program.values[id]));
      }
    }
    for (Store &store : program.stores) {
      store.value = renamed[store.value];
      rewrite(store.coords);
    }
    program.values = table.take();
    program.extents = std::move(extents);
  }

private:
  void rewrite(std::vector<IndexExpr> &coords) {
    for (IndexExpr &coord : coords) {
      coord = substitute(coord, replacements, extents);
    }
  }

  /// The value of a contraction as a sum of products.
  ValueId product(const Value &contract) {
    return table.scalar(OpKind::Mul, contract.dtype,
                        {table.cast(contract.operands[0], contract.dtype),
                         table.cast(contract.operands[1], contract.dtype)});
  }

  ValueId rewrite(Value value) {
    // Register tiles have no place for an axis along which neither operand changes.
    bool isTiled = value.op == Value::Op::Contract;
    for (size_t i = 0; isTiled && i < value.axes.size(); ++i) {
      uint64_t operandAxes = sets[value.operands[0]] | sets[value.operands[1]];
      bool isKept = !replacements[value.axes[i]].isConstant();
      isTiled = !isKept || (operandAxes >> value.axes[i] & 1) != 0;
    }
    rewrite(value.coords);
    for (Constraint &constraint : value.guard) {
      constraint.expr = substitute(constraint.expr, replacements, extents);
    }
    for (ValueId &operand : value.operands) {
      operand = renamed[operand];
    }
    std::vector<int64_t> axes;
    for (int64_t axis : value.axes) {
      for (const IndexExpr::Term &term : replacements[axis].terms()) {
        axes.push_back(term.atom.value);
      }
    }
    std::sort(axes.begin(), axes.end());
    value.axes = std::move(axes);
    if (value.axes.empty() && value.op == Value::Op::Reduce) {
      bool isPosition = value.kind == OpKind::ArgMax || value.kind == OpKind::ArgMin;
      return isPosition ? table.integer(0) : value.operands[0];
    }
    if (value.op == Value::Op::Contract && (value.axes.empty() || !isTiled)) {
      ValueId factors = product(value);
      if (value.axes.empty()) {
        return factors;
      }
      value.op = Value::Op::Reduce;
      value.kind = OpKind::ReduceSum;
      value.operands = {factors};
    }
    return table.add(std::move(value));
  }

  static constexpr int64_t maxSymbols = 16; ///< more than axes of any port
  Program &program;
  std::vector<IndexExpr> replacements;
  std::vector<int64_t> extents;
  std::vector<ValueId> renamed;
  std::vector<uint64_t> sets; ///< axes that each value depends on, by old ids
  ValueTable table;
};

/// All values are used, reductions have axes, and contractions run over axes of their operands:
/// with all axes kept a Rewriter would change nothing.
bool isRewritten(const Program &program) {
  std::vector<bool> used = usedValues(program);
  if (std::find(used.begin(), used.end(), false) != used.end()) {
    return false;
  }
  std::vector<uint64_t> sets;
  return std::all_of(program.values.begin(), program.values.end(), [&](const Value &value) {
    if (value.op != Value::Op::Contract) {
      return value.op != Value::Op::Reduce || !value.axes.empty();
    }
    if (value.axes.empty()) {
      return false;
    }
    if (sets.empty()) {
      sets = program.axisSets();
    }
    uint64_t operandAxes = sets[value.operands[0]] | sets[value.operands[1]];
    return (value.reducedAxes() & ~operandAxes) == 0;
  });
}

/// Keeps the axes of a set, in order; the others must be unused or have extent 1.
void keepAxes(Program &program, uint64_t kept) {
  if (std::popcount(kept) == std::ssize(program.extents) && isRewritten(program)) {
    return;
  }
  std::vector<IndexExpr> axes;
  std::vector<int64_t> extents;
  for (size_t axis = 0; axis < program.extents.size(); ++axis) {
    if (kept >> axis & 1) {
      axes.push_back(IndexExpr::dim(static_cast<int64_t>(extents.size())));
      extents.push_back(program.extents[axis]);
    } else {
      axes.emplace_back(0);
    }
  }
  Rewriter(program, axes, std::move(extents)).run();
}

//===- One axis for equal rows ----------------------------------------------------------------===//

/// Axes and others that stand for them.
using Renaming = std::vector<std::pair<int64_t, int64_t>>;

std::vector<IndexExpr> replacementsOf(const Renaming &renaming, size_t numAxes) {
  std::vector<IndexExpr> axes = IndexMap::identity(static_cast<int64_t>(numAxes)).results;
  for (auto [from, to] : renaming) {
    axes[from] = IndexExpr::dim(to);
  }
  return axes;
}

/// As matchLoads, where coordinates are more than one axis each: the axes of `a` alone, in order,
/// become those of `b` alone.
std::optional<Renaming> matchExpressions(const Value &a, const Value &b, uint64_t reduced,
                                         const std::vector<int64_t> &extents) {
  auto uses = [](const Value &load, int64_t axis) {
    return std::any_of(load.coords.begin(), load.coords.end(),
                       [&](const IndexExpr &coord) { return coord.uses(axis); });
  };
  Renaming renaming;
  std::vector<int64_t> targets;
  for (int64_t axis = 0; axis < std::ssize(extents); ++axis) {
    bool inA = uses(a, axis);
    bool inB = uses(b, axis);
    if (inA && !inB) {
      renaming.emplace_back(axis, 0);
    } else if (inB && !inA) {
      targets.push_back(axis);
    }
  }
  if (renaming.size() != targets.size() || !a.operands.empty()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    int64_t from = renaming[i].first;
    renaming[i].second = targets[i];
    if (!(reduced >> from & 1) || extents[from] != extents[targets[i]]) {
      return std::nullopt;
    }
  }
  std::vector<IndexExpr> axes = replacementsOf(renaming, extents.size());
  for (size_t i = 0; i < a.coords.size(); ++i) {
    if (substitute(a.coords[i], axes, extents) != b.coords[i]) {
      return std::nullopt;
    }
  }
  return renaming;
}

/// Renaming of reduced axes under which load `a` reads what load `b` reads.
std::optional<Renaming> matchLoads(const Value &a, const Value &b, uint64_t reduced,
                                   const std::vector<int64_t> &extents) {
  Renaming renaming;
  for (size_t i = 0; i < a.coords.size(); ++i) {
    if (a.coords[i] == b.coords[i]) {
      continue;
    }
    int64_t from = a.coords[i].asDim();
    int64_t to = b.coords[i].asDim();
    if (from < 0 || to < 0) {
      return matchExpressions(a, b, reduced, extents);
    }
    bool matches = from < symbolBase && to < symbolBase && (reduced >> from & 1) &&
                   extents[from] == extents[to];
    if (!matches) {
      return std::nullopt;
    }
    renaming.emplace_back(from, to);
  }
  return renaming;
}

/// The axes that a reduction may not be given: those that occur beside its own axis somewhere.
bool wouldCapture(const std::vector<uint64_t> &sets, int64_t from, int64_t to) {
  uint64_t both = 1ull << from | 1ull << to;
  return std::any_of(sets.begin(), sets.end(), [&](uint64_t set) { return (set & both) == both; });
}

bool isValidRenaming(const Renaming &renaming, const std::vector<uint64_t> &sets) {
  uint64_t sources = 0;
  uint64_t targets = 0;
  for (auto [from, to] : renaming) {
    if ((sources >> from & 1) || (targets >> to & 1) || wouldCapture(sets, from, to)) {
      return false;
    }
    sources |= 1ull << from;
    targets |= 1ull << to;
  }
  return !renaming.empty() && (sources & targets) == 0;
}

/// Finds one reduction whose axes can be those of an equal row, and renames them.
bool unifyOnce(Program &program) {
  std::vector<uint64_t> sets = program.axisSets();
  for (const Value &reduce : program.values) {
    if (reduce.op != Value::Op::Reduce) {
      continue;
    }
    uint64_t reduced = reduce.reducedAxes();
    for (size_t a = 0; a < program.values.size(); ++a) {
      const Value &load = program.values[a];
      if (load.op != Value::Op::Load || (sets[a] & reduced) == 0) {
        continue;
      }
      for (size_t b = 0; b < program.values.size(); ++b) {
        const Value &other = program.values[b];
        if (a == b || other.op != Value::Op::Load || other.port != load.port ||
            other.operands != load.operands) {
          continue;
        }
        auto renaming = matchLoads(load, other, reduced, program.extents);
        if (!renaming || !isValidRenaming(*renaming, sets)) {
          continue;
        }
        std::vector<IndexExpr> axes = replacementsOf(*renaming, program.extents.size());
        Rewriter(program, axes, program.extents).run();
        return true;
      }
    }
  }
  return false;
}

//===- Ports and family -----------------------------------------------------------------------===//

void orderPorts(Program &program, std::vector<uint32_t> &portOrder) {
  std::vector<uint32_t> renamed(program.ports.size(), ~0u);
  std::vector<Port> ports;
  auto use = [&](uint32_t &port) {
    if (renamed[port] == ~0u) {
      renamed[port] = static_cast<uint32_t>(ports.size());
      ports.push_back(program.ports[port]);
      if (!program.ports[port].output) {
        portOrder.push_back(port);
      }
    }
    port = renamed[port];
  };
  for (Value &value : program.values) {
    if (value.op == Value::Op::Load) {
      use(value.port);
    }
  }
  for (Store &store : program.stores) {
    use(store.port);
  }
  program.ports = std::move(ports);
}

int divisions(const IndexExpr &expr) {
  int count = 0;
  for (const IndexExpr::Term &term : expr.terms()) {
    count += term.atom.argument ? 1 + divisions(*term.atom.argument) : 0;
  }
  return count;
}

/// Ports that are read (or written) by row-major offset more simply than by coordinates become
/// one-dimensional: a reshape between them costs no division.
void flattenPorts(Program &program) {
  std::vector<int> saved(program.ports.size(), 0); // divisions that flattening saves
  std::vector<bool> gathered(program.ports.size(), false);
  auto visit = [&](uint32_t port, const std::vector<IndexExpr> &coords) {
    saved[port] -= divisions(linearize(coords, program.ports[port].type.shape));
    for (const IndexExpr &coord : coords) {
      saved[port] += divisions(coord);
    }
  };
  auto flatten = [&](uint32_t port, std::vector<IndexExpr> &coords) {
    if (saved[port] > 0 && !gathered[port]) {
      coords = {linearize(coords, program.ports[port].type.shape)};
    }
  };
  for (const Value &value : program.values) {
    if (value.op == Value::Op::Load) {
      visit(value.port, value.coords);
      gathered[value.port] = gathered[value.port] || !value.operands.empty();
    }
  }
  for (const Store &store : program.stores) {
    visit(store.port, store.coords);
  }
  for (Value &value : program.values) {
    if (value.op == Value::Op::Load) {
      flatten(value.port, value.coords);
    }
  }
  for (Store &store : program.stores) {
    flatten(store.port, store.coords);
  }
  for (size_t port = 0; port < program.ports.size(); ++port) {
    if (saved[port] > 0 && !gathered[port]) {
      program.ports[port].type.shape = {program.ports[port].type.numElements()};
    }
  }
}

//===- Axes that are divided ------------------------------------------------------------------===//

/// An axis, and the extent of the inner one of two that can stand for it.
using Split = std::pair<int64_t, int64_t>;

template <class Fn> void forEachExpr(const Program &program, Fn fn) {
  for (const Value &value : program.values) {
    std::for_each(value.coords.begin(), value.coords.end(), fn);
    for (const Constraint &constraint : value.guard) {
      fn(constraint.expr);
    }
  }
  for (const Store &store : program.stores) {
    std::for_each(store.coords.begin(), store.coords.end(), fn);
  }
}

/// Two axes may be better than a division by this: a symbolic size, or one that leaves rows of
/// vectors.
bool isDearDivisor(int64_t divisor) {
  constexpr int64_t shortRow = 64;
  return dim::isSymbolic(divisor) || divisor >= shortRow;
}

/// Divisions by symbolic sizes, or by all dear divisors.
int countDivisions(const IndexExpr &expr, bool symbolic) {
  int count = 0;
  for (const IndexExpr::Term &term : expr.terms()) {
    if (term.atom.argument) {
      count += symbolic ? dim::isSymbolic(term.atom.value) : isDearDivisor(term.atom.value);
      count += countDivisions(*term.atom.argument, symbolic);
    }
  }
  return count;
}

int countDivisions(const Program &program, bool symbolic) {
  int count = 0;
  forEachExpr(program, [&](const IndexExpr &expr) { count += countDivisions(expr, symbolic); });
  return count;
}

/// Adds the splits after which a multiple of `divisor` may stand apart in the expression.
void findSplits(const IndexExpr &expr, int64_t divisor, const Program &program,
                std::vector<Split> &splits) {
  for (const IndexExpr::Term &term : expr.terms()) {
    std::optional<int64_t> inner = dim::exactQuotient(divisor, term.coefficient);
    if (!inner || term.atom.kind == IndexAtom::Kind::Mod) {
      continue;
    }
    if (term.atom.kind == IndexAtom::Kind::FloorDiv) {
      findSplits(*term.atom.argument, dim::mul(*inner, term.atom.value), program, splits);
    } else if (term.atom.value < static_cast<int64_t>(program.extents.size())) {
      std::optional<int64_t> outer = dim::exactQuotient(program.extents[term.atom.value], *inner);
      bool isSplit = outer && *outer != 1 && *inner != 1 && dim::provablyAtMost(0, *outer) &&
                     dim::provablyAtMost(0, *inner);
      if (isSplit) {
        splits.emplace_back(term.atom.value, *inner);
      }
    }
  }
}

void findSplits(const IndexExpr &expr, const Program &program, std::vector<Split> &splits) {
  for (const IndexExpr::Term &term : expr.terms()) {
    if (term.atom.argument && isDearDivisor(term.atom.value)) {
      findSplits(*term.atom.argument, term.atom.value, program, splits);
    }
    if (term.atom.argument) {
      findSplits(*term.atom.argument, program, splits);
    }
  }
}

/// The position along an axis is wanted: it must stay one.
bool isPositionAxis(const Program &program, int64_t axis) {
  return std::any_of(program.values.begin(), program.values.end(), [&](const Value &value) {
    bool isPosition = value.kind == OpKind::ArgMax || value.kind == OpKind::ArgMin;
    return value.op == Value::Op::Reduce && isPosition && value.axes[0] == axis;
  });
}

Program splitAxis(const Program &program, Split split) {
  std::vector<IndexExpr> axes;
  std::vector<int64_t> extents;
  for (size_t axis = 0; axis < program.extents.size(); ++axis) {
    IndexExpr own = IndexExpr::dim(static_cast<int64_t>(extents.size()));
    if (static_cast<int64_t>(axis) != split.first) {
      axes.push_back(own);
      extents.push_back(program.extents[axis]);
      continue;
    }
    IndexExpr inner = IndexExpr::dim(static_cast<int64_t>(extents.size()) + 1);
    axes.push_back(own * split.second + inner);
    extents.push_back(*dim::exactQuotient(program.extents[axis], split.second));
    extents.push_back(split.second);
  }
  Program result = program;
  Rewriter(result, axes, std::move(extents)).run();
  return result;
}

/// Axes that are combined over; none of contractions.
uint64_t reducedAxes(const Program &program) {
  uint64_t reduced = 0;
  for (const Value &value : program.values) {
    reduced |= value.op == Value::Op::Reduce ? value.reducedAxes() : 0;
  }
  return reduced;
}

/// Splits axes so that coordinates need no division by symbolic sizes: an axis of N * M elements
/// whose coordinates are quotient and remainder by M becomes two. (Divisions by numbers are cheap,
/// and merged axes make longer vectors; but along a row they would be in each of its loops.)
void splitAxes(Program &program) {
  bool symbolic = true;
  int count = countDivisions(program, symbolic);
  if (count == 0 && program.reducesStoredAxes()) {
    symbolic = false;
    count = countDivisions(program, symbolic);
  }
  bool improved = count > 0;
  while (improved && count > 0 && static_cast<int64_t>(program.extents.size()) < symbolBase) {
    std::vector<Split> splits;
    forEachExpr(program, [&](const IndexExpr &expr) { findSplits(expr, program, splits); });
    uint64_t rows = symbolic ? ~uint64_t(0) : reducedAxes(program);
    improved = false;
    for (size_t i = 0; i < splits.size() && !improved; ++i) {
      if (!(rows >> splits[i].first & 1) || isPositionAxis(program, splits[i].first)) {
        continue;
      }
      Program candidate = splitAxis(program, splits[i]);
      int left = countDivisions(candidate, symbolic);
      improved = left < count;
      if (improved) {
        program = std::move(candidate);
        count = left;
      }
    }
  }
}

/// Turns the placeholders of load operands into dims after the axes.
void finishSymbols(Program &program) {
  if (!hasPlaceholders(program)) {
    return;
  }
  auto numAxes = static_cast<int64_t>(program.extents.size());
  std::vector<IndexExpr> dims = IndexMap::identity(symbolBase).results;
  for (int64_t i = 0; i < 16; ++i) {
    dims.push_back(IndexExpr::dim(numAxes + i));
  }
  for (Value &value : program.values) {
    if (value.op == Value::Op::Load && !value.operands.empty()) {
      for (IndexExpr &coord : value.coords) {
        coord = substitute(coord, dims, program.extents);
      }
    }
  }
}

/// True if the memory that a reduction reads is contiguous along a long reduced axis: then lanes
/// run along the row. Windows of a pool are short: their lanes run along a stored axis.
bool readsAlongRow(const Program &program, uint64_t reduced) {
  constexpr int64_t longRow = 32; // two vectors of 16 lanes
  for (const Value &value : program.values) {
    if (value.op != Value::Op::Load) {
      continue;
    }
    IndexExpr address = linearize(value.coords, program.ports[value.port].type.shape);
    int64_t row = 1; // elements that follow each other along reduced axes
    for (bool grown = true; grown && dim::estimate(row) < longRow;) {
      grown = false;
      for (size_t axis = 0; axis < program.extents.size(); ++axis) {
        if ((reduced >> axis & 1) && address.coefficientOf(static_cast<int64_t>(axis)) == row) {
          row = dim::mul(row, program.extents[axis]);
          grown = true;
        }
      }
    }
    if (dim::estimate(row) >= longRow) {
      return true;
    }
  }
  return false;
}

/// Loops of reductions around a value, the outermost first. Where users disagree, what follows is
/// one loop over all axes of either.
using Loops = std::vector<uint64_t>;

void join(Loops &into, const Loops &other, bool isFirst) {
  if (isFirst) {
    into = other;
    return;
  }
  size_t same =
      std::mismatch(into.begin(), into.end(), other.begin(), other.end()).first - into.begin();
  uint64_t rest = 0;
  for (const Loops *loops : {&std::as_const(into), &other}) {
    for (size_t i = same; i < loops->size(); ++i) {
      rest |= (*loops)[i];
    }
  }
  into.resize(same);
  if (rest != 0) {
    into.push_back(rest);
  }
}

/// True if no reduction is computed again and again. It is computed inside of the loops over stores
/// and of as many reductions around it as bring axes that its value depends on: it must depend on
/// all axes of these loops. Reductions that run over stored axes are computed once for each row.
bool reducesOnce(const Program &program, uint64_t rowAxes) {
  constexpr int64_t mostRepeats = 2;
  std::vector<uint64_t> sets = program.axisSets();
  std::vector<Loops> around(program.values.size());
  std::vector<bool> isUsed(program.values.size(), false);
  for (size_t id = program.values.size(); id-- > 0;) {
    const Value &value = program.values[id];
    Loops inner = around[id];
    if (value.op == Value::Op::Reduce) {
      uint64_t loops = program.storedAxes() & ~rowAxes;
      uint64_t passed = 0;
      for (uint64_t loop : inner) {
        passed |= loop & ~rowAxes;
        loops |= (loop & ~rowAxes & sets[id]) != 0 ? passed : 0;
      }
      if (program.volume(loops & ~sets[id]) > mostRepeats) {
        return false;
      }
      inner.push_back(value.reducedAxes());
    }
    for (ValueId operand : value.operands) {
      join(around[operand], inner, !isUsed[operand]);
      isUsed[operand] = true;
    }
  }
  return true;
}

bool pickFamily(Program &program, bool mayRepeat) {
  int contracts = 0;
  bool isSoftmaxSum = false;
  uint64_t reduced = 0;
  bool sameAxes = true;
  bool reduces = false;
  for (const Value &value : program.values) {
    contracts += value.op == Value::Op::Contract;
    isSoftmaxSum |= value.op == Value::Op::SoftmaxSum;
    if (value.op == Value::Op::Reduce) {
      uint64_t own = value.reducedAxes();
      sameAxes &= !reduces || own == reduced;
      reduced |= own;
      reduces = true;
    }
  }
  if (isSoftmaxSum) {
    program.family = Family::Attention;
    return findAttention(program).has_value();
  }
  if (contracts > 0) {
    program.family = Family::Contract;
    return contracts == 1 && !reduces;
  }
  bool storesOver = program.reducesStoredAxes();
  if (storesOver && !sameAxes) {
    return false;
  }
  if (!mayRepeat && !reducesOnce(program, storesOver ? reduced : 0)) {
    return false;
  }
  bool isRow = reduces && sameAxes && (storesOver || readsAlongRow(program, reduced));
  program.family = isRow ? Family::Row : Family::Map;
  return true;
}

} // namespace

bool normalize(Program &program, std::vector<uint32_t> &portOrder, bool mayRepeat) {
  if (static_cast<int64_t>(program.extents.size()) > symbolBase) {
    return false;
  }
  uint64_t significant = 0;
  for (size_t axis = 0; axis < program.extents.size(); ++axis) {
    significant |= program.extents[axis] > 1 ? 1ull << axis : 0;
  }
  keepAxes(program, significant);
  while (unifyOnce(program)) {
  }
  uint64_t used = program.storedAxes();
  for (uint64_t set : program.axisSets()) {
    used |= set;
  }
  for (const Value &value : program.values) {
    used |= value.reducedAxes();
  }
  keepAxes(program, used);
  orderPorts(program, portOrder);
  flattenPorts(program);
  splitAxes(program);
  finishSymbols(program);
  findDims(program);
  return pickFamily(program, mayRepeat);
}

} // namespace zyxc::kernelize
