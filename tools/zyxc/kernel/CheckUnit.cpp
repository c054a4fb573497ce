#include "tools/zyxc/kernel/CheckUnit.h"
#include "compiler/interp/kernel/KernelProgramInterpreter.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

Expected<CheckUnit> makeUnit(KernelFile &file, KernelOp kernel, const DimValues &dims,
                             const std::string &target) {
  CheckUnit unit;
  unit.name = "@" + kernel.getSymName().str();
  ZYXC_ASSIGN(KernelInterpreter created, KernelInterpreter::create(kernel, dims));
  auto interpreter = std::make_shared<KernelInterpreter>(std::move(created));
  unit.ports = interpreter->ports();
  unit.work = interpreter->work();
  unit.interpret = [interpreter](std::span<const Tensor> tensors) {
    return interpreter->run(tensors);
  };
  ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims, target));
  std::vector<unsigned> all;
  for (unsigned i = 0; i < unit.ports.size(); ++i) {
    unit.types.push_back(bound.kernel.getPortType(i));
    all.push_back(i);
  }
  unit.uses = portUses(bound.kernel);
  unit.tolerance = toleranceOf(bound.kernel);
  unit.kernels.push_back(std::move(bound));
  unit.sources.push_back(kernel);
  unit.dims.push_back(dims);
  unit.portsOf.push_back(std::move(all));
  return unit;
}

/// What a launch adds to the use of a port.
static void addUse(PortUse &use, const PortUse &more) {
  if (more.isIndex) {
    use.low = use.isIndex ? std::max(use.low, more.low) : more.low;
    use.high = use.isIndex ? std::min(use.high, more.high) : more.high;
    use.isIndex = true;
  }
  use.distinct |= more.distinct;
  use.isStored |= more.isStored;
  use.isCombined |= more.isCombined;
}

Expected<CheckUnit> makeUnit(KernelFile &file, ProgramOp program, const DimValues &dims,
                             const std::string &target) {
  CheckUnit unit;
  unit.name = "@" + program.getSymName().str();
  ZYXC_ASSIGN(KernelProgramInterpreter created, KernelProgramInterpreter::create(program, dims));
  auto interpreter = std::make_shared<KernelProgramInterpreter>(std::move(created));
  unit.ports = interpreter->ports();
  unit.work = interpreter->work();
  unit.interpret = [interpreter](std::span<const Tensor> tensors) {
    return interpreter->run(tensors);
  };
  unit.types.resize(unit.ports.size());
  unit.uses.resize(unit.ports.size());
  for (auto launch : program.getBlock().getOps<LaunchOp>()) {
    ZYXC_ASSIGN(std::vector<int64_t> values, launchDims(launch, dims));
    ZYXC_ASSIGN(BoundKernel bound, file.bind(launch.lookUpKernel(), values, target));
    std::vector<PortUse> uses = portUses(bound.kernel);
    std::vector<unsigned> ports;
    for (auto [i, port] : llvm::enumerate(launch.getPorts())) {
      ports.push_back(cast<BlockArgument>(port).getArgNumber());
      unit.types[ports.back()] = bound.kernel.getPortType(i);
      addUse(unit.uses[ports.back()], uses[i]);
    }
    KernelTolerance part = toleranceOf(bound.kernel);
    unit.tolerance.castRoundoff = std::max(unit.tolerance.castRoundoff, part.castRoundoff);
    unit.tolerance.bodyRoundoff = std::max(unit.tolerance.bodyRoundoff, part.bodyRoundoff);
    unit.tolerance.reductionLength += part.reductionLength;
    unit.tolerance.joined.resize(unit.ports.size(), 0);
    for (size_t i = 0; i < ports.size(); ++i) {
      unit.tolerance.joined[ports[i]] += part.joined[i];
    }
    unit.kernels.push_back(std::move(bound));
    unit.sources.push_back(launch.lookUpKernel());
    unit.dims.push_back(std::move(values));
    unit.portsOf.push_back(std::move(ports));
  }
  for (size_t i = 0; i < unit.types.size(); ++i) {
    if (!unit.types[i]) {
      return makeError(ErrorCode::Input, "{}: no launch uses port {}", unit.name, i);
    }
  }
  return unit;
}

double interpreterWork(KernelOp kernel, const DimValues &dims) {
  auto interpreter = KernelInterpreter::create(kernel, dims);
  return interpreter ? interpreter->work() : 0;
}

double interpreterWork(ProgramOp program, const DimValues &dims) {
  auto interpreter = KernelProgramInterpreter::create(program, dims);
  return interpreter ? interpreter->work() : 0;
}

/// Runs launches in order, each on its own copy of the ports that it takes. `dims`: what each was
/// compiled without.
static Status runLaunches(const std::vector<std::shared_ptr<KernelRunner>> &runners,
                          const std::vector<std::vector<unsigned>> &portsOf,
                          const std::vector<std::vector<int64_t>> &dims, PortBytes &ports,
                          unsigned variant) {
  for (size_t i = 0; i < runners.size(); ++i) {
    PortBytes taken;
    for (unsigned port : portsOf[i]) {
      taken.push_back(ports[port]);
    }
    ZYXC_RETURN_IF_ERROR(runners[i]->run(taken, variant, dims[i]));
    for (size_t k = 0; k < taken.size(); ++k) {
      ports[portsOf[i][k]] = std::move(taken[k]);
    }
  }
  return Status::ok();
}

Status compileUnit(CheckUnit &unit, KernelTarget &target) {
  for (BoundKernel &bound : unit.kernels) {
    ZYXC_ASSIGN(auto runner, target.compile(bound.text, bound.kernel));
    std::string resources = runner->resources();
    unit.resources += (unit.resources.empty() || resources.empty() ? "" : "; ") + resources;
    unit.runners.push_back(std::move(runner));
  }
  std::vector<std::vector<int64_t>> none(unit.runners.size());
  unit.run = [runners = unit.runners, portsOf = unit.portsOf, none](PortBytes &ports,
                                                                    unsigned variant) {
    return runLaunches(runners, portsOf, none, ports, variant);
  };
  return Status::ok();
}

Status OpenKernels::compileUnit(CheckUnit &unit) {
  for (KernelOp kernel : unit.sources) {
    std::shared_ptr<KernelRunner> &runner = runners[kernel];
    if (!runner) {
      ZYXC_ASSIGN(BoundKernel opened, file.open(kernel));
      ZYXC_ASSIGN(runner, target.compile(opened.text, opened.kernel));
    }
    unit.runners.push_back(runner);
  }
  unit.run = [runners = unit.runners, portsOf = unit.portsOf, dims = unit.dims](PortBytes &ports,
                                                                                unsigned variant) {
    return runLaunches(runners, portsOf, dims, ports, variant);
  };
  return Status::ok();
}

} // namespace zyxc::tool
