#include "compiler/plan/PlanBuilder.h"
#include "compiler/kernelize/ProgramBuilder.h"
#include "compiler/plan/Origins.h"
#include "compiler/plan/Placement.h"
#include "runtime/plan/PackArena.h"
#include <algorithm>
#include <map>

namespace zyxc::plan {

using kernelize::Candidate;
using kernelize::ClassId;
using kernelize::Program;

namespace {

/// A launch before its buffers are known.
struct Step {
  uint32_t kernel = 0;
  std::vector<ClassId> inputs;
  std::vector<ClassId> outputs;
  int64_t copyTo = -1; ///< number of the program output that a copy writes
  std::string label;
};

class Builder {
public:
  Builder(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
          const Choice &choice)
      : graph(graph), table(table), choice(choice), placement(graph, table, choice) {}

  Expected<BuiltPlan> run() {
    addEndpoints();
    ZYXC_RETURN_IF_ERROR(addGuards());
    addSteps();
    placeOutputs();
    placePrepared();
    placeArena();
    ZYXC_RETURN_IF_ERROR(addLaunches(prepare, built.plan.prepare));
    ZYXC_RETURN_IF_ERROR(addLaunches(steps, built.plan.steps));
    findConstantPorts();
    findAlignedPorts();
    return std::move(built);
  }

private:
  void addEndpoints() {
    for (const graph::Endpoint &input : graph.inputs) {
      inputIndex.emplace(graph.find(input.cls), built.plan.inputs.size());
      built.plan.inputs.push_back({input.name, graph.type(input.cls)});
    }
    for (const graph::Endpoint &output : graph.outputs) {
      built.plan.outputs.push_back({output.name, graph.type(output.cls)});
    }
  }

  /// What is not so at every value of the variables is left to the run.
  Status addGuards() {
    for (const graph::SizeGuard &guard : graph.guards) {
      if (dim::provablyLess(guard.size, 0)) {
        return makeError(ErrorCode::Unsupported, "{}: {} needs {} >= 0, which is never so",
                         guard.origin, guard.text, dim::toString(guard.size));
      }
      if (!dim::provablyAtMost(0, guard.size)) {
        built.plan.guards.push_back({guard.size, guard.origin, guard.text});
      }
    }
    return Status::ok();
  }

  uint32_t kernelOf(const Program &program, int64_t cost) {
    uint64_t hash = program.hash();
    for (uint32_t i = 0; i < built.programs.size(); ++i) {
      if (built.programs[i].hash() == hash && built.programs[i].identical(program)) {
        return i;
      }
    }
    auto index = static_cast<uint32_t>(built.programs.size());
    rt::Kernel kernel;
    kernel.name = fmt::format("{}{}_{:08x}", kernelize::name(program.family), index,
                              static_cast<uint32_t>(hash >> 32));
    kernel.picoseconds = cost;
    kernel.dims = program.dims;
    built.plan.kernels.push_back(std::move(kernel));
    built.programs.push_back(program);
    return index;
  }

  void addSteps() {
    std::map<uint32_t, uint32_t> kernelOfProgram;
    for (uint32_t k : choice.candidates) {
      const Candidate &candidate = table.candidates[k];
      bool atLoad = candidate.prepare && canRunAtLoad(candidate);
      if (atLoad) {
        prepared.insert(prepared.end(), candidate.outputs.begin(), candidate.outputs.end());
      }
      if (candidate.kind != Candidate::Kind::Kernel) {
        continue;
      }
      auto [entry, isNew] = kernelOfProgram.try_emplace(candidate.program, 0);
      if (isNew) {
        entry->second = kernelOf(table.programs[candidate.program].program,
                                 table.programs[candidate.program].cost);
      }
      Step step{entry->second, candidate.inputs, candidate.outputs, -1,
                originsOf(graph, candidate)};
      (atLoad ? prepare : steps).push_back(std::move(step));
    }
  }

  /// What is made of constants alone can be made at load, unless its sizes are known later.
  bool canRunAtLoad(const Candidate &candidate) const {
    auto isOpen = [&](ClassId cls) {
      return dim::anySymbolic(graph.type(cls).shape) ||
             dim::anySymbolic(graph.type(placement.of(cls).root).shape);
    };
    auto isLater = [&](ClassId cls) {
      return !isGiven(cls) && std::find(prepared.begin(), prepared.end(), cls) == prepared.end();
    };
    return std::none_of(candidate.outputs.begin(), candidate.outputs.end(), isOpen) &&
           std::none_of(candidate.inputs.begin(), candidate.inputs.end(), isLater);
  }

  bool isPrepared(ClassId root) const {
    return std::find(prepared.begin(), prepared.end(), root) != prepared.end();
  }

  bool isGiven(ClassId cls) const {
    return std::binary_search(table.given.begin(), table.given.end(), cls);
  }

  /// Lets buffers be outputs where that is possible and adds copies where it is not: an output that
  /// is an input, a constant, prepared, a part of another buffer, or one that was placed already.
  void placeOutputs() {
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      ClassId cls = graph.find(graph.outputs[i].cls);
      const TensorType &type = graph.type(cls);
      if (type.numElements() == 0) {
        continue;
      }
      Place place = placement.of(cls);
      bool isWhole = place.offset == 0 && graph.type(place.root).byteSize() == type.byteSize();
      if (isWhole && !isGiven(place.root) && !isPrepared(place.root) &&
          !outputOf.contains(place.root)) {
        outputOf.emplace(place.root, i);
        continue;
      }
      Step copy;
      copy.kernel = kernelOf(kernelize::copyProgram(type), 0);
      copy.inputs = {cls};
      copy.copyTo = static_cast<int64_t>(i);
      copy.label = "copy to output " + graph.outputs[i].name;
      steps.push_back(std::move(copy));
    }
  }

  void placePrepared() {
    for (ClassId cls : prepared) {
      ClassId root = placement.of(cls).root;
      if (!isGiven(root) && !preparedOffset.contains(root)) {
        preparedOffset.emplace(root, built.plan.preparedBytes);
        built.plan.preparedBytes += rt::alignUp(graph.type(root).byteSize());
      }
    }
  }

  void placeArena() {
    std::map<ClassId, size_t> lifetimeOf;
    std::vector<ClassId> roots;
    std::vector<rt::Lifetime> lifetimes;
    bool isOpen = false;
    for (size_t step = 0; step < steps.size(); ++step) {
      for (const std::vector<ClassId> *list : {&steps[step].inputs, &steps[step].outputs}) {
        for (ClassId cls : *list) {
          ClassId root = placement.of(cls).root;
          if (isGiven(root) || outputOf.contains(root) || preparedOffset.contains(root)) {
            continue;
          }
          auto [entry, isNew] = lifetimeOf.try_emplace(root, lifetimes.size());
          if (isNew) {
            roots.push_back(root);
            lifetimes.push_back({graph.type(root).byteSize(), step, step});
            isOpen |= dim::anySymbolic(graph.type(root).shape);
          }
          lifetimes[entry->second].last = step;
        }
      }
    }
    if (isOpen) { // places follow when the sizes are known
      arenaBuffer = std::move(lifetimeOf);
      built.plan.lifetimes = std::move(lifetimes);
      return;
    }
    std::vector<uint64_t> offsets = rt::packLifetimes(lifetimes, built.plan.arenaBytes);
    for (size_t i = 0; i < roots.size(); ++i) {
      arenaOffset.emplace(roots[i], offsets[i]);
    }
  }

  Expected<rt::BufferRef> bufferOf(ClassId cls) {
    Place place = placement.of(cls);
    rt::BufferRef buffer;
    buffer.offset = place.offset;
    buffer.bytes = graph.type(cls).byteSize();
    if (auto input = inputIndex.find(place.root); input != inputIndex.end()) {
      buffer.space = rt::Space::Input;
      buffer.index = static_cast<uint32_t>(input->second);
    } else if (const Tensor *constant = graph.constant(place.root);
               constant && isGiven(place.root)) {
      buffer.space = rt::Space::Constant;
      auto [entry, isNew] =
          constantIndex.try_emplace(place.root, static_cast<uint32_t>(built.plan.constants.size()));
      if (isNew) {
        // Without elements it has no bytes, whatever its open dims are: a plan's constants have
        // sizes.
        built.plan.constants.push_back(
            constant->numElements() == 0 ? Tensor::zeros({constant->dtype(), {0}}) : *constant);
      }
      buffer.index = entry->second;
    } else if (auto output = outputOf.find(place.root); output != outputOf.end()) {
      buffer.space = rt::Space::Output;
      buffer.index = static_cast<uint32_t>(output->second);
    } else if (auto at = preparedOffset.find(place.root); at != preparedOffset.end()) {
      buffer.space = rt::Space::Prepared;
      buffer.offset += at->second;
    } else if (auto arena = arenaOffset.find(place.root); arena != arenaOffset.end()) {
      buffer.offset += arena->second;
    } else if (auto lifetime = arenaBuffer.find(place.root); lifetime != arenaBuffer.end()) {
      buffer.index = static_cast<uint32_t>(lifetime->second);
    } else {
      return makeError(ErrorCode::Internal, "class {} is read but has no place", cls);
    }
    for (uint64_t size : {buffer.offset, buffer.bytes}) {
      if (!dim::isValid(static_cast<int64_t>(size))) {
        return makeError(ErrorCode::Unsupported,
                         "the bytes of {} are too long a formula: give sizes with --dim NAME=SIZE",
                         toString(graph.type(cls)));
      }
    }
    return buffer;
  }

  Status addLaunches(const std::vector<Step> &list, std::vector<rt::Launch> &launches) {
    for (const Step &step : list) {
      rt::Launch launch;
      launch.kernel = step.kernel;
      launch.label = step.label;
      for (const std::vector<ClassId> *classes : {&step.inputs, &step.outputs}) {
        for (ClassId cls : *classes) {
          ZYXC_ASSIGN(rt::BufferRef buffer, bufferOf(cls));
          launch.ports.push_back(buffer);
        }
      }
      if (step.copyTo >= 0) {
        rt::BufferRef output = launch.ports[0];
        output.space = rt::Space::Output;
        output.index = static_cast<uint32_t>(step.copyTo);
        output.offset = 0;
        launch.ports.push_back(output);
      }
      launches.push_back(std::move(launch));
    }
    return Status::ok();
  }

  void findConstantPorts() {
    built.constantPorts.resize(built.programs.size());
    for (uint32_t kernel = 0; kernel < built.programs.size(); ++kernel) {
      for (uint32_t port = 0; port < built.programs[kernel].numInputs(); ++port) {
        if (isConstantPort(kernel, port)) {
          built.constantPorts[kernel].push_back(port);
        }
      }
    }
  }

  /// What kernels write lies in memory that the runtime allocates; parts of a concatenation may
  /// start anywhere in it.
  void findAlignedPorts() {
    built.alignedPorts.resize(built.programs.size());
    for (uint32_t kernel = 0; kernel < built.programs.size(); ++kernel) {
      const Program &program = built.programs[kernel];
      for (uint32_t port = program.numInputs(); port < program.ports.size(); ++port) {
        auto isAligned = [&](const rt::Launch &launch) {
          auto offset = static_cast<int64_t>(launch.ports[port].offset);
          return launch.kernel != kernel || dim::mod(offset, rt::outputAlignment) == 0;
        };
        if (std::all_of(built.plan.steps.begin(), built.plan.steps.end(), isAligned) &&
            std::all_of(built.plan.prepare.begin(), built.plan.prepare.end(), isAligned)) {
          built.alignedPorts[kernel].push_back(port);
        }
      }
    }
  }

  bool isConstantPort(uint32_t kernel, uint32_t port) const {
    // Kernels that run at load gain nothing from it.
    auto launches = [&](const rt::Launch &launch) {
      return launch.kernel == kernel;
    };
    if (std::any_of(built.plan.prepare.begin(), built.plan.prepare.end(), launches)) {
      return false;
    }
    return std::all_of(built.plan.steps.begin(), built.plan.steps.end(),
                       [&](const rt::Launch &launch) {
                         if (launch.kernel != kernel) {
                           return true;
                         }
                         rt::Space space = launch.ports[port].space;
                         return space == rt::Space::Constant || space == rt::Space::Prepared;
                       });
  }

  const graph::TensorGraph &graph;
  const kernelize::CandidateTable &table;
  const Choice &choice;
  Placement placement;
  BuiltPlan built;
  std::vector<Step> prepare;
  std::vector<Step> steps;
  std::vector<ClassId> prepared; ///< classes that are computed at load
  std::map<ClassId, size_t> inputIndex;
  std::map<ClassId, size_t> outputOf; ///< roots that live in an output
  std::map<ClassId, uint64_t> preparedOffset;
  std::map<ClassId, uint64_t> arenaOffset;
  std::map<ClassId, size_t> arenaBuffer; ///< instead, where sizes are symbolic: the lifetime
  std::map<ClassId, uint32_t> constantIndex;
};

} // namespace

Expected<BuiltPlan> buildPlan(const graph::TensorGraph &graph,
                              const kernelize::CandidateTable &table, const Choice &choice) {
  return Builder(graph, table, choice).run();
}

} // namespace zyxc::plan
