// Canonical labelling: axes, dims and ports get colors that follow from how they are used; those
// that remain equal are told apart by trying each and taking the smallest bytes.
#include "passes/kernel/canonical/CanonicalForm.h"
#include "dialects/zyxk/IR/AxisSets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/canonical/CanonicalText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <numeric>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Labellings that are tried before the rest of the symmetries is given up.
static constexpr unsigned maxLabellings = 256;

namespace {

/// Axes, dims and ports are told apart by a number each; equal numbers are not told apart yet.
class Labelling {
public:
  explicit Labelling(KernelOp kernel) : kernel(kernel) {
    colors.axes.assign(kernel.getNumAxes(), 1);
    colors.dims.assign(kernel.getNumDims(), 2);
    colors.ports.assign(kernel.getNumPorts(), 3);
    refine();
  }

  /// Splits classes until no use tells two members of one apart.
  void refine();
  /// Where some class has several members: its list and their positions.
  std::pair<SmallVector<uint64_t> *, SmallVector<unsigned>> firstTie();
  /// The same labelling with one member of a tie told apart.
  Labelling choose(unsigned list, unsigned position) const {
    Labelling other = *this;
    uint64_t &color = (*other.lists()[list])[position];
    color = mixColors(color, 0x9e37);
    other.refine();
    return other;
  }
  std::array<SmallVector<uint64_t> *, 3> lists() {
    return {&colors.axes, &colors.dims, &colors.ports};
  }
  /// Positions 0, 1, .. by rising color.
  KernelNumbering numbering();

private:
  unsigned countClasses();

  KernelOp kernel;
  KernelColors colors;
};

} // namespace

unsigned Labelling::countClasses() {
  unsigned count = 0;
  for (SmallVector<uint64_t> *list : lists()) {
    SmallVector<uint64_t> sorted = *list;
    llvm::sort(sorted);
    count += llvm::unique(sorted) - sorted.begin();
  }
  return count;
}

void Labelling::refine() {
  for (unsigned before = 0, after = countClasses(); before != after;) {
    before = after;
    KernelColors refined = colors;
    std::array<SmallVector<uint64_t> *, 3> from = lists();
    std::array<SmallVector<uint64_t> *, 3> to = {&refined.axes, &refined.dims, &refined.ports};
    for (unsigned list = 0; list < from.size(); ++list) {
      for (unsigned i = 0; i < from[list]->size(); ++i) {
        uint64_t color = (*from[list])[i];
        (*from[list])[i] = mixColors(color, 0x51ed);
        (*to[list])[i] = mixColors(color, hashKernel(kernel, colors));
        (*from[list])[i] = color;
      }
    }
    colors = refined;
    after = countClasses();
  }
}

std::pair<SmallVector<uint64_t> *, SmallVector<unsigned>> Labelling::firstTie() {
  for (SmallVector<uint64_t> *list : lists()) {
    // The class with the smallest color: a choice that does not depend on positions.
    std::optional<uint64_t> smallest;
    for (uint64_t color : *list) {
      if (llvm::count(*list, color) > 1 && (!smallest || color < *smallest)) {
        smallest = color;
      }
    }
    if (smallest) {
      SmallVector<unsigned> members;
      for (unsigned i = 0; i < list->size(); ++i) {
        if ((*list)[i] == *smallest) {
          members.push_back(i);
        }
      }
      return {list, members};
    }
  }
  return {nullptr, {}};
}

KernelNumbering Labelling::numbering() {
  auto ranks = [](ArrayRef<uint64_t> colors) {
    SmallVector<unsigned> order(colors.size());
    std::iota(order.begin(), order.end(), 0U);
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(colors[a], a) < std::pair(colors[b], b);
    });
    SmallVector<unsigned> rank(colors.size());
    for (auto [i, old] : llvm::enumerate(order)) {
      rank[old] = i;
    }
    return rank;
  };
  return {ranks(colors.axes), ranks(colors.dims), ranks(colors.ports)};
}

namespace {

/// Tries all labellings that symmetries leave open, up to a limit.
class Search {
public:
  explicit Search(KernelOp kernel) : kernel(kernel) {}

  void run(Labelling labelling) {
    auto [list, members] = labelling.firstTie();
    if (!list) {
      take(labelling.numbering());
      return;
    }
    unsigned which = list == labelling.lists()[0] ? 0 : list == labelling.lists()[1] ? 1 : 2;
    for (unsigned member : members) {
      if (tried >= maxLabellings) {
        best.exact = false;
        return;
      }
      run(labelling.choose(which, member));
    }
  }

  CanonicalForm best;

private:
  void take(const KernelNumbering &numbering) {
    std::string bytes = writeKernel(kernel, numbering);
    if (tried++ > 0 && bytes >= best.bytes) {
      return;
    }
    best.bytes = std::move(bytes);
    best.portOrder.resize(numbering.ports.size());
    for (auto [port, rank] : llvm::enumerate(numbering.ports)) {
      best.portOrder[rank] = port;
    }
  }

  KernelOp kernel;
  unsigned tried = 0;
};

} // namespace

CanonicalForm canonicalForm(KernelOp kernel) {
  Search search(kernel);
  search.run(Labelling(kernel));
  return std::move(search.best);
}

std::string kernelCacheKey(KernelOp kernel, const Target &target, StringRef build) {
  std::string text = canonicalForm(kernel).bytes;
  llvm::raw_string_ostream os(text);
  os << '\0';
  if (kernel.getSchedule()) {
    os << *kernel.getSchedule();
  }
  os << '\0' << target.name << ' ' << target.vectorBits << ' ' << target.subgroupSize << ' '
     << target.maxThreads << ' ' << target.sharedBytes << ' ' << target.registersPerThread << ' '
     << target.registers << ' ' << target.multiprocessors << ' ' << target.maxCluster << '\0'
     << build;
  llvm::SHA256 hash;
  hash.update(StringRef(text));
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

} // namespace zyxc
