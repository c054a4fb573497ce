#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Transforms.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/InlineBody.h"
#include "passes/kernel/edit/ProgramEdit.h"

namespace zyxc {

#define GEN_PASS_DEF_FUSESIBLINGPASS
#include "passes/kernel/Passes.h.inc"

using namespace mlir;
using namespace zyxc::zyxk;

/// Neither launch writes what the other one takes.
static bool areApart(LaunchOp a, LaunchOp b) {
  auto touches = [](LaunchOp writer, LaunchOp other) {
    return llvm::any_of(other.getPorts(), [&](Value port) { return writes(writer, port); });
  };
  return !touches(a, b) && !touches(b, a);
}

static bool shareInput(LaunchOp a, LaunchOp b) {
  return llvm::any_of(a.getPorts(), [&](Value port) {
    return llvm::is_contained(b.getPorts(), port) && reads(a, port) && reads(b, port);
  });
}

static bool canShareAxes(KernelOp kernel) {
  return !kernel.getDomain() && kernel.getBlock().getOps<OpaqueOp>().empty() &&
         llvm::all_of(kernel.getAxisBounds().getResults(),
                      [&](AffineExpr bound) { return axesIn(bound, kernel.getNumAxes()) == 0; });
}

/// Axes of `other` as axes of `kernel`: those at the same coordinate of a shared port first, then
/// those of the same name, if the bounds are equal. -1: an axis of its own.
class AxisMatch {
public:
  AxisMatch(KernelOp kernel, KernelOp other)
      : kernel(kernel), other(other), axes(other.getNumAxes(), -1) {}

  void tryPair(unsigned axis, unsigned otherAxis) {
    bool equal =
        kernel.getAxisBounds().getResult(axis) == other.getAxisBounds().getResult(otherAxis);
    if (axes[otherAxis] < 0 && !llvm::is_contained(axes, static_cast<int64_t>(axis)) && equal) {
      axes[otherAxis] = axis;
    }
  }
  void matchPorts(Value port, Value otherPort);
  void matchNames();
  ArrayRef<int64_t> result() const { return axes; }

private:
  KernelOp kernel, other;
  SmallVector<int64_t> axes;
};

void AxisMatch::matchPorts(Value port, Value otherPort) {
  auto firstLoad = [](Value value) {
    for (Operation *user : value.getUsers()) {
      if (auto load = dyn_cast<LoadOp>(user)) {
        return load;
      }
    }
    return LoadOp();
  };
  LoadOp a = firstLoad(port);
  LoadOp b = firstLoad(otherPort);
  if (!a || !b) {
    return;
  }
  for (auto [left, right] : llvm::zip(a.getMap().getResults(), b.getMap().getResults())) {
    auto axis = dyn_cast<AffineDimExpr>(left);
    auto otherAxis = dyn_cast<AffineDimExpr>(right);
    if (axis && otherAxis && axis.getPosition() < kernel.getNumAxes() &&
        otherAxis.getPosition() < other.getNumAxes()) {
      tryPair(axis.getPosition(), otherAxis.getPosition());
    }
  }
}

void AxisMatch::matchNames() {
  for (unsigned axis = 0; axis < other.getNumAxes(); ++axis) {
    if (std::optional<unsigned> same = kernel.findAxis(other.getAxisName(axis))) {
      tryPair(*same, axis);
    }
  }
}

static void fuse(LaunchOp first, LaunchOp second) {
  auto program = first->getParentOfType<ProgramOp>();
  MLIRContext *context = program.getContext();
  KernelOp oldFirst = first.lookUpKernel();
  KernelOp oldSecond = second.lookUpKernel();
  KernelOp other = kernelOverProgramDims(second, "sibling");
  KernelOp fused =
      kernelOverProgramDims(first, (oldFirst.getSymName() + "_" + oldSecond.getSymName()).str());
  AxisMatch match(fused, other);
  SmallVector<Value> launchPorts(first.getPorts());
  BodyPlace place;
  place.stores = true;
  for (auto [i, value] : llvm::enumerate(second.getPorts())) {
    PortType type = other.getPortType(i);
    const auto *same = llvm::find(launchPorts, value);
    unsigned number = same - launchPorts.begin();
    if (same != launchPorts.end() && fused.getPortType(number) == type) {
      match.matchPorts(fused.getPort(number), other.getPort(i));
      place.ports.push_back(fused.getPort(number));
    } else {
      place.ports.push_back(fused.getBlock().addArgument(type, fused.getLoc()));
      launchPorts.push_back(value);
    }
  }
  match.matchNames();
  for (auto [axis, to] : llvm::enumerate(match.result())) {
    unsigned position =
        to >= 0 ? to
                : addAxis(fused, other.getAxisName(axis), other.getAxisBounds().getResult(axis));
    place.axes.push_back(getAffineDimExpr(position, context));
  }
  for (unsigned dim = 0; dim < fused.getNumDims(); ++dim) {
    place.dims.push_back(getAffineSymbolExpr(dim, context));
  }
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&fused.getBlock());
  inlineBody(builder, other, fused, place);
  other.erase();
  replaceLaunches({first, second}, fused, launchPorts);
  dropUnused(program, {oldFirst, oldSecond});
}

bool fuseSibling(ProgramOp program) {
  for (auto first : program.getBlock().getOps<LaunchOp>()) {
    auto second = dyn_cast_or_null<LaunchOp>(first->getNextNode());
    if (second && areApart(first, second) && shareInput(first, second) &&
        canShareAxes(first.lookUpKernel()) && canShareAxes(second.lookUpKernel())) {
      fuse(first, second);
      return true;
    }
  }
  return false;
}

namespace {

struct FuseSiblingPass : impl::FuseSiblingPassBase<FuseSiblingPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<ProgramOp>()) {
      while (fuseSibling(program)) {
      }
    }
  }
};

} // namespace

} // namespace zyxc
