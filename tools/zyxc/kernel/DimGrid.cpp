#include "tools/zyxc/kernel/DimGrid.h"
#include "mlir/IR/AffineExpr.h"
#include <algorithm>
#include <random>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// Values of a dim that is varied, in this order.
static constexpr int64_t dimValues[] = {1, 0, 7, 16, 33, 64, 127, 2, 8, 17, 129, 5, 256};
/// Tries to meet what a kernel assumes by chance, per size that is asked for.
static constexpr size_t triesPerSize = 200;

bool satisfiesAssume(KernelOp kernel, const DimValues &dims) {
  if (!kernel.getAssume()) {
    return true;
  }
  SmallVector<AffineExpr> constants;
  for (int64_t value : dims) {
    constants.push_back(getAffineConstantExpr(value, kernel.getContext()));
  }
  IntegerSet assume = *kernel.getAssume();
  for (unsigned i = 0; i < assume.getNumConstraints(); ++i) {
    auto value = dyn_cast<AffineConstantExpr>(assume.getConstraint(i).replaceSymbols(constants));
    if (!value || (assume.isEq(i) ? value.getValue() != 0 : value.getValue() < 0)) {
      return false;
    }
  }
  return true;
}

/// Numbers that stand in what a kernel assumes: `D == 96` makes 96 a value worth trying.
static void addAssumedValues(KernelOp kernel, std::vector<int64_t> &values) {
  if (!kernel.getAssume()) {
    return;
  }
  for (AffineExpr constraint : kernel.getAssume()->getConstraints()) {
    constraint.walk([&](AffineExpr part) {
      if (auto constant = dyn_cast<AffineConstantExpr>(part)) {
        values.push_back(std::abs(constant.getValue()));
      }
    });
  }
}

namespace {

/// Collects different sizes that a kernel assumes.
class Grid {
public:
  Grid(KernelOp kernel, size_t count, uint64_t seed)
      : kernel(kernel), count(count), engine(seed),
        values(std::begin(dimValues), std::end(dimValues)) {
    addAssumedValues(kernel, values);
  }

  bool full() const { return sizes.size() >= count; }
  void add(const DimValues &dims) {
    if (!full() && satisfiesAssume(kernel, dims) &&
        std::find(sizes.begin(), sizes.end(), dims) == sizes.end()) {
      sizes.push_back(dims);
    }
  }
  /// Random values for the dims that are not fixed.
  DimValues random(const std::vector<std::optional<int64_t>> &fixed) {
    DimValues dims;
    for (const std::optional<int64_t> &value : fixed) {
      dims.push_back(value ? *value : values[engine() % values.size()]);
    }
    return dims;
  }
  /// Each dim in turn, the others at `base`.
  void vary(const DimValues &base, const std::vector<std::optional<int64_t>> &fixed) {
    for (int64_t value : values) {
      for (size_t dim = 0; dim < base.size(); ++dim) {
        DimValues dims = base;
        dims[dim] = fixed[dim] ? *fixed[dim] : value;
        add(dims);
      }
    }
  }

  std::vector<DimValues> sizes;

private:
  KernelOp kernel;
  size_t count;
  std::mt19937_64 engine;
  std::vector<int64_t> values;
};

} // namespace

/// The given value of each dim, if there is one.
static Expected<std::vector<std::optional<int64_t>>>
fixedDims(KernelOp kernel, const std::map<std::string, int64_t> &given) {
  std::vector<std::optional<int64_t>> fixed;
  size_t used = 0;
  std::string names;
  for (auto name : kernel.getDimNames().getAsValueRange<StringAttr>()) {
    auto found = given.find(name.str());
    used += found != given.end();
    fixed.push_back(found != given.end() ? std::optional(found->second) : std::nullopt);
    names += (names.empty() ? "" : ", ") + name.str();
  }
  if (used != given.size()) {
    return makeError(ErrorCode::Usage, "--dim names a dim that @{} does not have; its dims are {}",
                     kernel.getSymName().str(), names.empty() ? "none" : names);
  }
  return fixed;
}

Expected<DimValues> givenDims(KernelOp kernel, const std::map<std::string, int64_t> &given) {
  ZYXC_ASSIGN(auto fixed, fixedDims(kernel, given));
  DimValues dims;
  for (auto [i, name] : llvm::enumerate(kernel.getDimNames().getAsValueRange<StringAttr>())) {
    if (!fixed[i]) {
      return makeError(ErrorCode::Usage, "@{} has the dim {}: give its value by --dim {}=64",
                       kernel.getSymName().str(), name.str(), name.str());
    }
    dims.push_back(*fixed[i]);
  }
  if (!satisfiesAssume(kernel, dims)) {
    return makeError(ErrorCode::Usage, "--dim: @{} does not assume such dims",
                     kernel.getSymName().str());
  }
  return dims;
}

Expected<std::vector<DimValues>>
dimGrid(KernelOp kernel, const std::map<std::string, int64_t> &given, size_t count, uint64_t seed) {
  ZYXC_ASSIGN(auto fixed, fixedDims(kernel, given));
  bool allFixed = std::all_of(fixed.begin(), fixed.end(), [](auto value) { return !!value; });
  Grid grid(kernel, allFixed ? 1 : count, seed);
  // Two thirds in turn, the rest at random: combinations of edges are worth as much as edges.
  constexpr int64_t baseValue = 17;
  DimValues base;
  for (const std::optional<int64_t> &value : fixed) {
    base.push_back(value.value_or(baseValue));
  }
  grid.add(base);
  for (size_t i = 0; i < triesPerSize * count && grid.sizes.empty(); ++i) {
    grid.add(grid.random(fixed));
  }
  if (grid.sizes.empty()) {
    return makeError(ErrorCode::Input,
                     "@{}: no size was found that meets what it assumes; give some by --dim",
                     kernel.getSymName().str());
  }
  Grid turns(kernel, std::max<size_t>(count * 2 / 3, 1), seed);
  turns.vary(grid.sizes.front(), fixed);
  for (const DimValues &dims : turns.sizes) {
    grid.add(dims);
  }
  for (size_t i = 0; i < triesPerSize * count && !grid.full(); ++i) {
    grid.add(grid.random(fixed));
  }
  return std::move(grid.sizes);
}

} // namespace zyxc::tool
