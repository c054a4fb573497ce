#include "compiler/plan/PlanBuilder.h"
#include "compiler/plan/Buffers.h"
#include "compiler/plan/ContinueLayers.h"
#include "compiler/plan/Origins.h"

namespace zyxc::plan {

using kernelize::Candidate;
using kernelize::ClassId;

namespace {

class Builder {
public:
  Builder(const graph::TensorGraph &graph, const kernelize::CandidateTable &table,
          const Choice &choice, const PlanUse &use)
      : graph(graph), table(table), choice(choice), use(use), kernels(built, use),
        buffers(graph, table, choice, built, kernels) {}

  Expected<BuiltPlan> run() {
    addEndpoints();
    ZYXC_RETURN_IF_ERROR(addGuards());
    addSteps();
    if (graph.layers.areThere()) {
      ZYXC_ASSIGN(bool areAdded, continueLayers(graph, buffers, prepare, steps));
      if (!areAdded) {
        built.layersDiffer = true;
        return std::move(built);
      }
    }
    buffers.placeOutputs(steps);
    buffers.placeWrites(steps);
    buffers.placePrepared();
    buffers.placeArena(steps);
    numberKernels();
    ZYXC_RETURN_IF_ERROR(addLaunches(prepare, built.plan.prepare));
    ZYXC_RETURN_IF_ERROR(addLaunches(steps, built.plan.steps));
    findPortFacts(built, use.isBody);
    return std::move(built);
  }

private:
  void addEndpoints() {
    for (const graph::Endpoint &input : graph.inputs) {
      built.plan.inputs.push_back({input.name, graph.type(input.cls), input.written});
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

  void addSteps() {
    std::map<uint32_t, uint32_t> kernelOfProgram;
    for (uint32_t k : choice.candidates) {
      const Candidate &candidate = table.candidates[k];
      bool atLoad = buffers.prepareAtLoad(candidate);
      if (candidate.kind != Candidate::Kind::Kernel) {
        continue;
      }
      auto [entry, isNew] = kernelOfProgram.try_emplace(candidate.program, 0);
      if (isNew) {
        entry->second = kernels.add(table.programs[candidate.program].program,
                                    table.programs[candidate.program].cost);
      }
      Step step{.kernel = entry->second,
                .inputs = candidate.inputs,
                .outputs = candidate.outputs,
                .origins = originNames(graph, candidate),
                .computes = candidate.outputs,
                .program = candidate.program};
      for (graph::NodeId node : candidate.nodes) {
        step.computes.push_back(graph.find(node));
      }
      (atLoad ? prepare : steps).push_back(std::move(step));
    }
  }

  /// Kernels that write in place have replaced others.
  void numberKernels() {
    std::vector<Step> *const lists[] = {&prepare, &steps};
    kernels.dropUnused(lists);
    built.kernelOf.resize(table.programs.size(), ~0u);
    for (const std::vector<Step> *list : lists) {
      for (const Step &step : *list) {
        if (step.program != ~0u) {
          built.kernelOf[step.program] = step.kernel;
        }
      }
    }
  }

  Status addLaunches(const std::vector<Step> &list, std::vector<rt::Launch> &launches) {
    for (const Step &step : list) {
      rt::Launch launch;
      launch.kernel = step.kernel;
      launch.label = step.origins.empty() ? step.label : joinNames(step.origins);
      for (ClassId cls : step.inputs) {
        ZYXC_ASSIGN(rt::BufferRef buffer, buffers.of(cls));
        launch.ports.push_back(buffer);
      }
      for (ClassId cls : step.outputs) {
        ZYXC_ASSIGN(rt::BufferRef buffer, buffers.ofResult(cls));
        launch.ports.push_back(buffer);
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

  const graph::TensorGraph &graph;
  const kernelize::CandidateTable &table;
  const Choice &choice;
  const PlanUse &use;
  BuiltPlan built;
  KernelList kernels;
  Buffers buffers;
  std::vector<Step> prepare;
  std::vector<Step> steps;
};

} // namespace

Expected<BuiltPlan> buildPlan(const graph::TensorGraph &graph,
                              const kernelize::CandidateTable &table, const Choice &choice,
                              const PlanUse &use) {
  return Builder(graph, table, choice, use).run();
}

} // namespace zyxc::plan
