#include "tools/zyxc/kernel/DimGrid.h"
#include "mlir/IR/AffineExpr.h"
#include <algorithm>
#include <random>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// Values of a dim that is varied, in this order.
static constexpr int64_t dimValues[] = {1, 0, 7, 16, 33, 64, 127, 2, 8, 17, 129, 5, 256};
/// Values of the dims that are not varied: ragged, and multiples of vectors and tiles.
static constexpr int64_t raggedBases[] = {17, 5, 3, 2, 1};
static constexpr int64_t alignedBases[] = {128, 64, 32, 16, 8};
/// One size takes at most this part of the work of all.
static constexpr double sizeShare = 8;
/// Tries to meet what a kernel assumes by chance, per size that is asked for.
static constexpr size_t triesPerSize = 200;

DimSpace::DimSpace(KernelOp kernel)
    : name("@" + kernel.getSymName().str()), assume(kernel.getAssume()),
      context(kernel.getContext()) {
  for (auto dim : kernel.getDimNames().getAsValueRange<StringAttr>()) {
    dims.push_back(dim.str());
  }
}

DimSpace::DimSpace(ProgramOp program)
    : name("@" + program.getSymName().str()), assume(program.getAssume()),
      context(program.getContext()) {
  for (auto dim : program.getDimNames().getAsValueRange<StringAttr>()) {
    dims.push_back(dim.str());
  }
}

std::string describeDims(const DimSpace &space, std::span<const int64_t> dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    text += fmt::format("{}{}={}", i ? " " : "", space.dims[i], dims[i]);
  }
  return text;
}

bool satisfiesAssume(const DimSpace &space, const DimValues &dims) {
  if (!space.assume) {
    return true;
  }
  SmallVector<AffineExpr> constants;
  for (int64_t value : dims) {
    constants.push_back(getAffineConstantExpr(value, space.context));
  }
  IntegerSet assume = *space.assume;
  for (unsigned i = 0; i < assume.getNumConstraints(); ++i) {
    auto value = dyn_cast<AffineConstantExpr>(assume.getConstraint(i).replaceSymbols(constants));
    if (!value || (assume.isEq(i) ? value.getValue() != 0 : value.getValue() < 0)) {
      return false;
    }
  }
  return true;
}

/// Numbers that stand in what a kernel assumes: `D == 96` makes 96 a value worth trying.
static void addAssumedValues(const DimSpace &space, std::vector<int64_t> &values) {
  if (!space.assume) {
    return;
  }
  for (AffineExpr constraint : space.assume->getConstraints()) {
    constraint.walk([&](AffineExpr part) {
      if (auto constant = dyn_cast<AffineConstantExpr>(part)) {
        values.push_back(std::abs(constant.getValue()));
      }
    });
  }
}

namespace {

/// Values that dims may be fixed to.
using FixedDims = std::vector<std::optional<int64_t>>;

/// Collects different sizes that a kernel assumes and that are not too much work.
class Grid {
public:
  Grid(const DimSpace &space, const GridRequest &request, FixedDims fixed)
      : space(space), request(request), fixed(std::move(fixed)), engine(request.seed),
        values(std::begin(dimValues), std::end(dimValues)) {
    addAssumedValues(space, values);
  }

  /// The first of these values that may stand for all dims and leaves room for other sizes; else
  /// any size that meets what the kernel assumes; none if there is none.
  std::optional<DimValues> findBase(ArrayRef<int64_t> bases);
  /// The base, then each dim in turn with the others as they are, until there are `count` sizes.
  void addTurns(const DimValues &base, size_t count);
  /// Random values for the dims that are not fixed.
  void addRandom();

  std::vector<DimValues> sizes;
  int leftOut = 0; ///< turns that were too much work

private:
  bool fits(const DimValues &dims, double limit);
  void add(const DimValues &dims, double limit);
  DimValues random();

  const DimSpace &space;
  const GridRequest &request;
  FixedDims fixed;
  std::mt19937_64 engine;
  std::vector<int64_t> values;
};

} // namespace

bool Grid::fits(const DimValues &dims, double limit) {
  return satisfiesAssume(space, dims) && request.work(dims) <= limit;
}

void Grid::add(const DimValues &dims, double limit) {
  if (std::find(sizes.begin(), sizes.end(), dims) != sizes.end() || !satisfiesAssume(space, dims)) {
    return;
  }
  if (request.work(dims) > limit) {
    ++leftOut;
  } else {
    sizes.push_back(dims);
  }
}

DimValues Grid::random() {
  DimValues dims;
  for (const std::optional<int64_t> &value : fixed) {
    dims.push_back(value ? *value : values[engine() % values.size()]);
  }
  return dims;
}

std::optional<DimValues> Grid::findBase(ArrayRef<int64_t> bases) {
  double limit = 2 * request.budget / static_cast<double>(request.count);
  for (int64_t value : bases) {
    DimValues base;
    for (const std::optional<int64_t> &dim : fixed) {
      base.push_back(dim.value_or(value));
    }
    if (fits(base, limit)) {
      return base;
    }
  }
  for (size_t i = 0; i < triesPerSize * request.count; ++i) {
    DimValues base = random();
    if (fits(base, request.budget)) {
      return base;
    }
  }
  return std::nullopt;
}

void Grid::addTurns(const DimValues &base, size_t count) {
  add(base, request.budget);
  for (int64_t value : values) {
    for (size_t dim = 0; dim < base.size() && sizes.size() < count; ++dim) {
      DimValues dims = base;
      dims[dim] = fixed[dim] ? *fixed[dim] : value;
      add(dims, request.budget / sizeShare);
    }
  }
}

void Grid::addRandom() {
  int turnsLeftOut = leftOut;
  for (size_t i = 0; i < triesPerSize * request.count && sizes.size() < request.count; ++i) {
    add(random(), request.budget / sizeShare);
  }
  leftOut = turnsLeftOut; // others stand for those
}

/// The given value of each dim, if there is one.
static Expected<FixedDims> fixedDims(const DimSpace &space,
                                     const std::map<std::string, int64_t> &given) {
  FixedDims fixed;
  size_t used = 0;
  for (const std::string &name : space.dims) {
    auto found = given.find(name);
    used += found != given.end();
    fixed.push_back(found != given.end() ? std::optional(found->second) : std::nullopt);
  }
  if (used != given.size()) {
    return makeError(ErrorCode::Usage, "--dim names a dim that {} does not have; its dims are {}",
                     space.name,
                     space.dims.empty() ? "none" : fmt::format("{}", fmt::join(space.dims, ", ")));
  }
  return fixed;
}

Expected<DimValues> givenDims(const DimSpace &space, const std::map<std::string, int64_t> &given) {
  ZYXC_ASSIGN(FixedDims fixed, fixedDims(space, given));
  DimValues dims;
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (!fixed[i]) {
      return makeError(ErrorCode::Usage, "{} has the dim {}: give its value by --dim {}=64",
                       space.name, space.dims[i], space.dims[i]);
    }
    dims.push_back(*fixed[i]);
  }
  if (!satisfiesAssume(space, dims)) {
    return makeError(ErrorCode::Usage, "--dim: {} does not assume such dims", space.name);
  }
  return dims;
}

namespace {

/// Looks for values of the dims that are not fixed.
class Completion {
public:
  Completion(const DimSpace &space, FixedDims fixed,
             llvm::function_ref<Status(const DimValues &)> check)
      : space(space), fixed(std::move(fixed)), check(check) {
    for (int64_t value = mostDefault; value > 1; value /= 2) {
      values.insert(values.end(), {value, value - 1});
    }
    addAssumedValues(space, values);
  }

  /// All of them equal, large ones first; where the kernel does not assume that, one or two of them
  /// another value.
  std::optional<DimValues> find();
  Status status = Status::ok(); ///< what `check` said last

private:
  bool fits(const DimValues &dims) {
    if (checks >= mostChecks || !satisfiesAssume(space, dims)) {
      return false;
    }
    ++checks;
    status = check(dims);
    return status.isOk();
  }
  bool changeOne(DimValues &dims, size_t first, bool another);

  static constexpr int64_t mostDefault = 1024;
  static constexpr int mostChecks = 4; ///< around one base
  const DimSpace &space;
  FixedDims fixed;
  llvm::function_ref<Status(const DimValues &)> check;
  std::vector<int64_t> values;
  int checks = 0; ///< around this base
};

} // namespace

/// Puts each value in place of each dim from `first` on, and of another one after it; `dims` is
/// what fits, else as it was.
bool Completion::changeOne(DimValues &dims, size_t first, bool another) {
  for (size_t dim = first; dim < dims.size(); ++dim) {
    int64_t old = dims[dim];
    for (size_t i = 0; i < values.size() && !fixed[dim]; ++i) {
      dims[dim] = values[i];
      if (another ? changeOne(dims, dim + 1, false) : fits(dims)) {
        return true;
      }
    }
    dims[dim] = old;
  }
  return false;
}

std::optional<DimValues> Completion::find() {
  for (int64_t value = mostDefault; value >= 1; value /= 2) {
    DimValues dims;
    for (const std::optional<int64_t> &dim : fixed) {
      dims.push_back(dim.value_or(value));
    }
    checks = 0;
    bool isAssumed = satisfiesAssume(space, dims);
    if (isAssumed ? fits(dims) : changeOne(dims, 0, false) || changeOne(dims, 0, true)) {
      return dims;
    }
  }
  return std::nullopt;
}

Expected<DimValues> completedDims(const DimSpace &space,
                                  const std::map<std::string, int64_t> &given,
                                  llvm::function_ref<Status(const DimValues &)> check) {
  ZYXC_ASSIGN(FixedDims fixed, fixedDims(space, given));
  if (given.size() == space.dims.size()) {
    return givenDims(space, given);
  }
  Completion completion(space, std::move(fixed), check);
  if (std::optional<DimValues> found = completion.find()) {
    return *found;
  }
  ZYXC_RETURN_IF_ERROR(std::move(completion.status));
  return makeError(
      ErrorCode::Input, "{}: no size was found that meets what it assumes{}; give {} by --dim",
      space.name, given.empty() ? "" : " with the given dims", given.empty() ? "some" : "others");
}

Expected<DimGrid> dimGrid(const DimSpace &space, const GridRequest &request) {
  ZYXC_ASSIGN(FixedDims fixed, fixedDims(space, request.given));
  auto isFixed = [](const std::optional<int64_t> &value) {
    return value.has_value();
  };
  if (std::all_of(fixed.begin(), fixed.end(), isFixed)) {
    DimValues only;
    for (const std::optional<int64_t> &value : fixed) {
      only.push_back(*value);
    }
    if (!satisfiesAssume(space, only)) {
      return makeError(ErrorCode::Usage, "--dim: {} does not assume such dims", space.name);
    }
    return DimGrid{{only}, 0};
  }
  Grid grid(space, request, fixed);
  std::optional<DimValues> ragged = grid.findBase(raggedBases);
  if (!ragged) {
    return makeError(ErrorCode::Input,
                     "{}: no size was found that meets what it assumes; give some by --dim",
                     space.name);
  }
  // Dims in turn around two bases, the rest at random: combinations of edges are worth as much as
  // edges.
  grid.addTurns(*ragged, (request.count + 2) / 3);
  grid.addTurns(*grid.findBase(alignedBases), (request.count * 2 + 2) / 3);
  grid.addRandom();
  return DimGrid{std::move(grid.sizes), grid.leftOut};
}

} // namespace zyxc::tool
