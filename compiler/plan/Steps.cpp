#include "compiler/plan/Steps.h"
#include "runtime/library/Blas.h"
#include <algorithm>

namespace zyxc::plan {

using kernelize::Family;
using kernelize::Program;

/// What a kernel without code of its own does.
void KernelList::addCall(const Program &program, uint32_t index, rt::Kernel &kernel) {
  switch (program.family) {
  case Family::Custom:
    kernel.symbol = program.custom->form == CustomSource::Form::Host ? program.custom->entry : "";
    kernel.dims = program.custom->dims;
    break;
  case Family::Library:
    kernel.symbol = program.routine;
    kernel.library = rt::blasLibrary;
    kernel.dims = program.params;
    kernel.numTasks = rt::fromDims(program.params.data()).numTasks();
    break;
  case Family::If: kernel.control.kind = rt::Control::Kind::If; break;
  case Family::Loop:
    kernel.control.kind = rt::Control::Kind::Loop;
    kernel.control.limit = program.params[1];
    kernel.control.numCarried = static_cast<uint32_t>(program.params[2]);
    break;
  default: break;
  }
  if (kernel.control.kind != rt::Control::Kind::None) {
    kernel.numTasks = 0;
    built.calls.push_back({index, static_cast<size_t>(program.params[0])});
  }
}

uint32_t KernelList::add(const Program &program, int64_t picoseconds) {
  uint64_t hash = program.hash();
  for (uint32_t i = 0; i < built.programs.size(); ++i) {
    if (built.programs[i].hash() == hash && built.programs[i].identical(program)) {
      return i;
    }
  }
  auto index = static_cast<uint32_t>(built.programs.size());
  rt::Kernel kernel;
  std::string of = program.custom ? "_" + program.custom->kernel : "";
  bool isLibrary = program.family == Family::Library;
  kernel.name = fmt::format("{}{}{}{}_{:08x}", use.kernelPrefix,
                            isLibrary ? program.routine : kernelize::name(program.family), index,
                            of, static_cast<uint32_t>(hash >> 32));
  kernel.picoseconds = picoseconds;
  kernel.dims = program.dims;
  addCall(program, index, kernel);
  built.plan.kernels.push_back(std::move(kernel));
  built.programs.push_back(program);
  return index;
}

void KernelList::dropUnused(std::span<std::vector<Step> *const> lists) {
  std::vector<uint32_t> renumbered(built.programs.size(), ~0u);
  for (const std::vector<Step> *list : lists) {
    for (const Step &step : *list) {
      renumbered[step.kernel] = 0;
    }
  }
  uint32_t kept = 0;
  for (uint32_t kernel = 0; kernel < renumbered.size(); ++kernel) {
    if (renumbered[kernel] != 0) {
      continue;
    }
    if (kept != kernel) {
      built.plan.kernels[kept] = std::move(built.plan.kernels[kernel]);
      built.programs[kept] = std::move(built.programs[kernel]);
    }
    renumbered[kernel] = kept++;
  }
  built.plan.kernels.resize(kept);
  built.programs.resize(kept);
  for (PlannedCall &call : built.calls) { // each is launched: it stands for results of the program
    call.kernel = renumbered[call.kernel];
  }
  for (std::vector<Step> *list : lists) {
    for (Step &step : *list) {
      step.kernel = renumbered[step.kernel];
    }
  }
}

//===- Facts of ports -------------------------------------------------------------------------===//

/// True if the port reads constants in every launch of the kernel.
static bool isConstantPort(const rt::Plan &plan, uint32_t kernel, uint32_t port) {
  // Kernels that run at load gain nothing from it.
  auto launches = [&](const rt::Launch &launch) {
    return launch.kernel == kernel;
  };
  auto isConstant = [&](const rt::Launch &launch) {
    return !launches(launch) || launch.ports[port].space == rt::Space::Constant ||
           launch.ports[port].space == rt::Space::Prepared;
  };
  return std::none_of(plan.prepare.begin(), plan.prepare.end(), launches) &&
         std::all_of(plan.steps.begin(), plan.steps.end(), isConstant);
}

/// True if every launch of the kernel writes the port at an aligned address: in memory that the
/// runtime allocates. Parts of a concatenation may start anywhere in it, and outputs of a body in
/// the plan around it.
static bool isAlignedPort(const rt::Plan &plan, uint32_t kernel, uint32_t port, bool isBody) {
  auto isAligned = [&](const rt::Launch &launch) {
    if (launch.kernel != kernel) {
      return true;
    }
    const rt::BufferRef &buffer = launch.ports[port];
    bool isOutside =
        buffer.space == rt::Space::Input || (buffer.space == rt::Space::Output && isBody);
    return !isOutside && dim::mod(static_cast<int64_t>(buffer.offset), rt::outputAlignment) == 0;
  };
  return std::all_of(plan.steps.begin(), plan.steps.end(), isAligned) &&
         std::all_of(plan.prepare.begin(), plan.prepare.end(), isAligned);
}

void findPortFacts(BuiltPlan &built, bool isBody) {
  built.constantPorts.resize(built.programs.size());
  built.alignedPorts.resize(built.programs.size());
  for (uint32_t kernel = 0; kernel < built.programs.size(); ++kernel) {
    size_t numInputs = built.programs[kernel].numInputs();
    for (uint32_t port = 0; port < built.programs[kernel].ports.size(); ++port) {
      if (port < numInputs && isConstantPort(built.plan, kernel, port)) {
        built.constantPorts[kernel].push_back(port);
      } else if (port >= numInputs && isAlignedPort(built.plan, kernel, port, isBody)) {
        built.alignedPorts[kernel].push_back(port);
      }
    }
  }
}

} // namespace zyxc::plan
