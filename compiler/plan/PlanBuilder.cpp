#include "compiler/plan/PlanBuilder.h"
#include "compiler/kernelize/InvertView.h"
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
  std::vector<ClassId> inputs = {};
  std::vector<ClassId> outputs = {};
  int64_t copyTo = -1;  ///< number of the program output that a copy writes
  int64_t writeTo = -1; ///< number of the program input that is written
  std::string label = {};
};

class Builder {
public:
  Builder(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
          const Choice &choice, const PlanUse &use)
      : graph(graph), table(table), choice(choice), use(use), placement(graph, table, choice) {}

  Expected<BuiltPlan> run() {
    addEndpoints();
    ZYXC_RETURN_IF_ERROR(addGuards());
    addSteps();
    placeOutputs();
    placeWrites();
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
    kernel.name = fmt::format("{}{}{}_{:08x}", use.kernelPrefix, kernelize::name(program.family),
                              index, static_cast<uint32_t>(hash >> 32));
    kernel.picoseconds = cost;
    kernel.dims = program.dims;
    addCall(program, index, kernel);
    built.plan.kernels.push_back(std::move(kernel));
    built.programs.push_back(program);
    return index;
  }

  /// What a kernel without code of its own does.
  void addCall(const Program &program, uint32_t index, rt::Kernel &kernel) {
    switch (program.family) {
    case kernelize::Family::Custom: kernel.symbol = program.routine; break;
    case kernelize::Family::If: kernel.control.kind = rt::Control::Kind::If; break;
    case kernelize::Family::Loop:
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
      Step step{.kernel = entry->second,
                .inputs = candidate.inputs,
                .outputs = candidate.outputs,
                .label = originsOf(graph, candidate)};
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

  /// Stores what is written into inputs, after everything else: no kernel sees it.
  void placeWrites() {
    for (const graph::Write &write : graph.writes) {
      built.plan.inputs[write.input].written = true;
    }
    // What is itself a part of an input that changes is kept first.
    std::vector<ClassId> values;
    for (const graph::Write &write : graph.writes) {
      values.push_back(kept(graph.find(write.value), write));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const graph::Write &write = graph.writes[i];
      if (!placeInInput(values[i], write)) {
        const TensorType &into = graph.type(graph.inputs[write.input].cls);
        Step store;
        store.kernel = kernelOf(kernelize::storeProgram(typeOf(values[i]), write.map, into), 0);
        store.inputs = {values[i]};
        store.writeTo = static_cast<int64_t>(write.input);
        store.label = write.origin;
        steps.push_back(std::move(store));
      }
    }
  }

  /// The class, or one more buffer with a copy of it.
  ClassId kept(ClassId cls, const graph::Write &write) {
    auto input = inputIndex.find(placement.of(cls).root);
    if (input == inputIndex.end() || !built.plan.inputs[input->second].written) {
      return cls;
    }
    auto copied = static_cast<ClassId>(graph.engine().numNodes() + copies.size());
    copies.push_back(graph.type(cls));
    Step copy;
    copy.kernel = kernelOf(kernelize::copyProgram(graph.type(cls)), 0);
    copy.inputs = {cls};
    copy.outputs = {copied};
    copy.label = write.origin;
    steps.push_back(std::move(copy));
    return copied;
  }

  /// The steps at which memory is first written, or last read; by the root of its place.
  size_t firstWrite(ClassId root) const {
    for (size_t step = 0; step < steps.size(); ++step) {
      if (touches(steps[step].outputs, root)) {
        return step;
      }
    }
    return steps.size();
  }
  std::optional<size_t> lastRead(ClassId root) const {
    for (size_t step = steps.size(); step-- > 0;) {
      if (touches(steps[step].inputs, root)) {
        return step;
      }
    }
    return std::nullopt;
  }
  bool touches(const std::vector<ClassId> &classes, ClassId root) const {
    return std::any_of(classes.begin(), classes.end(),
                       [&](ClassId cls) { return placement.of(cls).root == root; });
  }

  /// Lets the value be made where it is written, if nothing reads the input from then on.
  bool placeInInput(ClassId cls, const graph::Write &write) {
    ClassId input = graph.find(graph.inputs[write.input].cls);
    auto isSame = [&](const graph::Write &other) {
      return other.input == write.input;
    };
    Place place = placement.of(cls);
    const TensorType &type = typeOf(cls);
    std::optional<int64_t> offset =
        kernelize::aliasOffset(write.map, type.shape, graph.type(input).shape);
    bool isOnly = std::count_if(graph.writes.begin(), graph.writes.end(), isSame) == 1;
    bool isWhole = place.offset == 0 && typeOf(place.root).byteSize() == type.byteSize();
    if (!offset || !isOnly || !isWhole || isGiven(place.root) || isPrepared(place.root) ||
        outputOf.contains(place.root) || inputPlace.contains(place.root) ||
        lastRead(input) >= std::optional(firstWrite(place.root))) {
      return false;
    }
    auto bytes = static_cast<int64_t>(byteSize(type.dtype));
    inputPlace.emplace(place.root,
                       std::pair(write.input, static_cast<uint64_t>(dim::mul(*offset, bytes))));
    return true;
  }

  const TensorType &typeOf(ClassId cls) const {
    size_t numClasses = graph.engine().numNodes();
    return cls < numClasses ? graph.type(cls) : copies[cls - numClasses];
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
          if (isGiven(root) || outputOf.contains(root) || inputPlace.contains(root) ||
              preparedOffset.contains(root)) {
            continue;
          }
          auto [entry, isNew] = lifetimeOf.try_emplace(root, lifetimes.size());
          if (isNew) {
            roots.push_back(root);
            lifetimes.push_back({typeOf(root).byteSize(), step, step});
            isOpen |= dim::anySymbolic(typeOf(root).shape);
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
    buffer.bytes = typeOf(cls).byteSize();
    if (auto input = inputIndex.find(place.root); input != inputIndex.end()) {
      buffer.space = rt::Space::Input;
      buffer.index = static_cast<uint32_t>(input->second);
    } else if (const Tensor *constant =
                   isGiven(place.root) ? graph.constant(place.root) : nullptr) {
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
    } else if (auto written = inputPlace.find(place.root); written != inputPlace.end()) {
      buffer.space = rt::Space::Input;
      buffer.index = static_cast<uint32_t>(written->second.first);
      buffer.offset = addBytes(buffer.offset, written->second.second);
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
                         toString(typeOf(cls)));
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
      if (step.writeTo >= 0) {
        auto input = static_cast<size_t>(step.writeTo);
        launch.ports.push_back({rt::Space::Input, static_cast<uint32_t>(input), 0,
                                built.plan.inputs[input].type.byteSize()});
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
          if (launch.kernel != kernel) {
            return true;
          }
          const rt::BufferRef &buffer = launch.ports[port];
          bool isOutside =
              buffer.space == rt::Space::Input || (buffer.space == rt::Space::Output && use.isBody);
          return !isOutside &&
                 dim::mod(static_cast<int64_t>(buffer.offset), rt::outputAlignment) == 0;
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
  const PlanUse &use;
  Placement placement;
  BuiltPlan built;
  std::vector<Step> prepare;
  std::vector<Step> steps;
  std::vector<ClassId> prepared; ///< classes that are computed at load
  std::map<ClassId, size_t> inputIndex;
  std::map<ClassId, size_t> outputOf;                        ///< roots that live in an output
  std::map<ClassId, std::pair<size_t, uint64_t>> inputPlace; ///< roots made in a written input
  std::vector<TensorType> copies; ///< of parts of written inputs; their classes follow the graph's
  std::map<ClassId, uint64_t> preparedOffset;
  std::map<ClassId, uint64_t> arenaOffset;
  std::map<ClassId, size_t> arenaBuffer; ///< instead, where sizes are symbolic: the lifetime
  std::map<ClassId, uint32_t> constantIndex;
};

} // namespace

Expected<BuiltPlan> buildPlan(const graph::TensorGraph &graph,
                              const kernelize::CandidateTable &table, const Choice &choice,
                              const PlanUse &use) {
  return Builder(graph, table, choice, use).run();
}

} // namespace zyxc::plan
