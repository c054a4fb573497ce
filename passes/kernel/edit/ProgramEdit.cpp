#include "passes/kernel/edit/ProgramEdit.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "passes/kernel/edit/BodyEdit.h"
#include "passes/kernel/edit/SpaceChange.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc {

/// Does a port of the launch's kernel that stands for `port` satisfy the predicate?
static bool anyPort(LaunchOp launch, Value port, bool (PortType::*is)() const) {
  KernelOp kernel = launch.lookUpKernel();
  for (auto [i, value] : llvm::enumerate(launch.getPorts())) {
    if (value == port && (kernel.getPortType(i).*is)()) {
      return true;
    }
  }
  return false;
}

bool writes(LaunchOp launch, Value port) {
  return anyPort(launch, port, &PortType::isWritable);
}

bool reads(LaunchOp launch, Value port) {
  return anyPort(launch, port, &PortType::isReadable);
}

KernelOp kernelOverProgramDims(LaunchOp launch, StringRef name) {
  auto program = launch->getParentOfType<ProgramOp>();
  KernelOp copy = copyKernel(launch.lookUpKernel(), name);
  copy.removeScheduleAttr();
  SpaceChange change = SpaceChange::identity(copy);
  change.dimNames.clear();
  for (StringRef dim : program.getDimNames().getAsValueRange<StringAttr>()) {
    change.dimNames.push_back(dim.str());
  }
  change.dims.assign(launch.getDims().getResults().begin(), launch.getDims().getResults().end());
  for (AffineExpr &bound : change.bounds) {
    bound = bound.replaceSymbols(change.dims);
  }
  // A dim of the program may have the name of an axis.
  for (std::string &axis : change.axisNames) {
    while (llvm::is_contained(change.dimNames, axis)) {
      axis += "_";
    }
  }
  changeSpace(copy, change);
  return copy;
}

LaunchOp replaceLaunches(ArrayRef<LaunchOp> launches, KernelOp kernel, ValueRange ports) {
  LaunchOp last = launches.back();
  OpBuilder builder(last);
  auto program = last->getParentOfType<ProgramOp>();
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < program.getNumDims(); ++dim) {
    dims.push_back(getAffineSymbolExpr(dim, builder.getContext()));
  }
  auto map = AffineMap::get(0, dims.size(), dims, builder.getContext());
  auto launch = LaunchOp::create(builder, last.getLoc(), kernel.getSymName(), ports,
                                 program.getDimNames(), map);
  for (LaunchOp old : launches) {
    old.erase();
  }
  return launch;
}

bool isLaunched(KernelOp kernel) {
  WalkResult found = kernel->getParentOp()->walk([&](LaunchOp launch) {
    bool same = launch.getKernelAttr().getAttr() == kernel.getSymNameAttr();
    return same ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

ProgramOp wrapKernel(KernelOp kernel, StringRef kernelName, ArrayRef<PortType> scratch) {
  OpBuilder builder(kernel);
  builder.setInsertionPointAfter(kernel);
  std::string name = kernel.getSymName().str();
  kernel.setSymName(uniqueSymbol(kernel->getParentOp(), kernelName));
  SmallVector<PortType> ports;
  for (unsigned port = 0; port < kernel.getNumPorts(); ++port) {
    ports.push_back(kernel.getPortType(port));
  }
  ports.append(scratch.begin(), scratch.end());
  SmallVector<StringRef> dims(kernel.getDimNames().getAsValueRange<StringAttr>());
  auto program = ProgramOp::createWithPorts(builder, kernel.getLoc(), name, dims, ports);
  program.setAssumeAttr(kernel.getAssumeAttr());
  builder.setInsertionPointToEnd(&program.getBlock());
  SmallVector<AffineExpr> same;
  for (unsigned dim = 0; dim < dims.size(); ++dim) {
    same.push_back(getAffineSymbolExpr(dim, builder.getContext()));
  }
  ValueRange arguments = program.getBlock().getArguments();
  LaunchOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                   arguments.take_front(kernel.getNumPorts()), kernel.getDimNames(),
                   AffineMap::get(0, dims.size(), same, builder.getContext()));
  return program;
}

void dropUnused(ProgramOp program, ArrayRef<KernelOp> kernels) {
  llvm::BitVector unused(program.getNumPorts());
  for (unsigned port = 0; port < program.getNumPorts(); ++port) {
    if (program.getPort(port).use_empty() &&
        program.getPortType(port).getMode() == PortMode::Scratch) {
      unused.set(port);
    }
  }
  program.getBlock().eraseArguments(unused);
  DenseSet<StringAttr> launched;
  program->getParentOp()->walk(
      [&](LaunchOp launch) { launched.insert(launch.getKernelAttr().getAttr()); });
  for (KernelOp kernel : kernels) {
    if (!launched.contains(kernel.getSymNameAttr())) {
      kernel.erase();
    }
  }
}

} // namespace zyxc
