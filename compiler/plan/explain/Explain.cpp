#include "compiler/plan/explain/Explain.h"
#include "compiler/plan/Origins.h"
#include "compiler/plan/explain/Forms.h"
#include "compiler/plan/explain/ModelNodes.h"
#include "compiler/plan/explain/Swaps.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace zyxc::explain {

using egraph::none;
using kernelize::Candidate;
using kernelize::ClassId;

namespace {

/// Says what was chosen, candidate by candidate. What is looked up often is found once.
class Explainer {
public:
  Explainer(const PartSteps &steps)
      : steps(steps), graph(steps.graph), table(steps.table), producers(table.producers()),
        swaps(graph, table, steps.choice), place(table.candidates.size(), -1) {
    for (const graph::Endpoint &input : graph.inputs) {
      inputNames.emplace(graph.find(input.cls), input.name);
    }
    for (size_t i = 0; i < steps.choice.candidates.size(); ++i) {
      place[steps.choice.candidates[i]] = static_cast<int>(i);
    }
  }

  Part run() {
    Part part;
    part.name = steps.name;
    std::vector<std::vector<FormStep>> forms = formsOf(steps);
    for (size_t i = 0; i < steps.choice.candidates.size(); ++i) {
      part.kernels.push_back(chosenKernel(steps.choice.candidates[i]));
      part.kernels.back().form = std::move(forms[i]);
    }
    addPorts(part);
    addModelNodes(steps, part);
    addCertificate(part);
    addLimits(part);
    return part;
  }

private:
  ChosenKernel chosenKernel(uint32_t k) const {
    const Candidate &candidate = table.candidates[k];
    ChosenKernel kernel;
    kernel.id = place[k];
    kernel.what = describe(candidate);
    kernel.atLoad = candidate.prepare;
    kernel.cost = candidate.cost;
    kernel.reads = listOf(candidate.inputs);
    kernel.makes = listOf(candidate.outputs);
    switch (candidate.kind) {
    case Candidate::Kind::Alias: kernel.kind = ChosenKernel::Kind::Alias; break;
    case Candidate::Kind::ConcatInPlace: kernel.kind = ChosenKernel::Kind::Concat; break;
    case Candidate::Kind::Kernel: addProgram(kernel, candidate); break;
    }
    addRejected(kernel, k);
    return kernel;
  }

  void addProgram(ChosenKernel &kernel, const Candidate &candidate) const {
    const kernelize::PricedProgram &priced = table.programs[candidate.program];
    kernel.family = kernelize::name(priced.program.family);
    kernel.bytes = priced.bytes;
    kernel.flops = priced.flops;
    kernel.ports = priced.program.ports.size();
    kernel.values = priced.program.values.size();
    uint32_t number = steps.built.kernelOf[candidate.program];
    if (number == none) {
      return;
    }
    const rt::Kernel &planned = steps.built.plan.kernels[number];
    kernel.name = planned.name;
    for (uint32_t body : planned.control.bodies) {
      kernel.runs.push_back(body < steps.regions.size() ? steps.regions[body] : "");
    }
  }

  Stored stored(ClassId cls) const {
    Stored stored{Stored::Kind::Missing, fmt::format("c{}", cls), toString(graph.type(cls))};
    uint32_t maker = swaps.makerOf(cls);
    if (auto input = inputNames.find(cls); input != inputNames.end()) {
      stored.kind = Stored::Kind::Input;
      stored.name = input->second;
    } else if (maker != none) {
      stored.kind = Stored::Kind::Made;
      stored.madeBy = place[maker];
    } else if (graph.isConstant(cls)) {
      stored.kind = Stored::Kind::Constant;
    }
    return stored;
  }

  std::vector<Stored> listOf(const std::vector<ClassId> &classes) const {
    std::vector<Stored> list;
    list.reserve(classes.size());
    for (ClassId cls : classes) {
      list.push_back(stored(cls));
    }
    return list;
  }

  std::string describe(const Candidate &candidate) const {
    switch (candidate.kind) {
    case Candidate::Kind::Alias:
      return fmt::format("alias at byte {}", dim::toString(static_cast<int64_t>(candidate.offset)));
    case Candidate::Kind::ConcatInPlace: return "concatenation in place";
    case Candidate::Kind::Kernel: break;
    }
    const kernelize::Program &program = table.programs[candidate.program].program;
    if (program.custom) {
      return fmt::format("custom kernel {} ({} '{}')", program.custom->kernel,
                         name(program.custom->form), program.custom->entry);
    }
    bool isLibrary = program.family == kernelize::Family::Library;
    return fmt::format("{} kernel", isLibrary ? program.routine : kernelize::name(program.family));
  }

  void addRejected(ChosenKernel &kernel, uint32_t chosen) const {
    std::vector<uint32_t> others;
    for (ClassId output : table.candidates[chosen].outputs) {
      for (uint32_t k : producers[output]) {
        if (place[k] < 0 && std::find(others.begin(), others.end(), k) == others.end()) {
          others.push_back(k);
        }
      }
    }
    std::sort(others.begin(), others.end(), [&](uint32_t a, uint32_t b) {
      int64_t x = table.candidates[a].cost;
      int64_t y = table.candidates[b].cost;
      return x != y ? x < y : a < b;
    });
    for (uint32_t other : others) {
      kernel.rejected.push_back(rejected(chosen, other));
    }
  }

  Rejected rejected(uint32_t chosen, uint32_t other) const {
    const Candidate &candidate = table.candidates[other];
    Rejected result;
    result.what = describe(candidate);
    result.origins = plan::originNames(graph, candidate);
    result.reads = listOf(candidate.inputs);
    result.cost = candidate.cost;
    Swap swap = swaps.swap(chosen, other);
    if (swap.outcome != Swap::Outcome::Possible) {
      bool isPlace = swap.outcome == Swap::Outcome::Place;
      result.why = isPlace ? Rejected::Why::Place : Rejected::Why::Cycle;
      return result;
    }
    result.inAll = swap.difference;
    result.why = swap.difference > 0    ? Rejected::Why::Dearer
                 : swap.difference == 0 ? Rejected::Why::Same
                                        : Rejected::Why::Cheaper;
    for (uint32_t k : std::span(swap.added).subspan(1)) {
      result.extras.push_back({listOf(table.candidates[k].outputs), table.candidates[k].cost});
    }
    result.keepsChosen = true;
    for (uint32_t k : swap.removed) {
      if (k == chosen) {
        result.keepsChosen = false;
      } else {
        result.saves.push_back(place[k]);
      }
    }
    std::sort(result.saves.begin(), result.saves.end());
    return result;
  }

  void addPorts(Part &part) const {
    for (const graph::Endpoint &input : graph.inputs) {
      part.inputs.push_back({input.name, toString(graph.type(input.cls))});
    }
    for (const graph::Endpoint &output : graph.outputs) {
      ClassId cls = graph.find(output.cls);
      uint32_t maker = swaps.makerOf(cls);
      part.outputs.push_back(
          {output.name, toString(graph.type(cls)), -1, maker == none ? -1 : place[maker]});
    }
  }

  void addCertificate(Part &part) const {
    const plan::Choice &choice = steps.choice;
    part.cost = choice.cost;
    part.lowerBound = choice.lowerBound;
    part.proved = choice.proved;
    part.searchNodes = choice.searchNodes;
    part.borders = choice.borders;
    part.parts = choice.parts;
    part.distinctParts = choice.distinctParts;
    part.candidates = table.candidates.size();
    part.programs = table.programs.size();
    part.classes = table.classes.size();
    part.arenaBytes = steps.built.plan.lifetimes.empty() ? steps.built.plan.arenaBytes : 0;
    part.liveBytes = steps.built.liveBytes;
  }

  void addLimits(Part &part) const {
    using egraph::StopReason;
    if (steps.saturation && steps.saturation->stop != StopReason::Saturated) {
      part.limits.push_back({"rules", egraph::toString(steps.saturation->stop), 0, 1});
    }
    for (const kernelize::CapHit &cap : table.caps) {
      if (cap.hits > 0) {
        part.limits.push_back({"candidates", std::string(cap.name), cap.limit, cap.hits});
      }
    }
    if (steps.choice.memoryHits > 0) {
      part.limits.push_back({"choose", "bytes of the search",
                             static_cast<int64_t>(extract::Limits().memory),
                             static_cast<int64_t>(steps.choice.memoryHits)});
    } else if (!part.proved) {
      part.limits.push_back(
          {"choose", "search nodes", static_cast<int64_t>(extract::Limits().searchNodes), 1});
    }
  }

  const PartSteps &steps;
  const graph::TensorGraph &graph;
  const kernelize::CandidateTable &table;
  std::vector<std::vector<uint32_t>> producers;
  Swaps swaps;
  std::vector<int> place; ///< by candidate: in the choice, or -1
  std::map<ClassId, std::string> inputNames;
};

} // namespace

Part explainPart(const PartSteps &steps) {
  return Explainer(steps).run();
}

} // namespace zyxc::explain
