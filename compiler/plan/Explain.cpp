#include "compiler/plan/Origins.h"
#include "compiler/plan/PlanBuilder.h"
#include "runtime/plan/BindPlan.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::plan {

using kernelize::Candidate;
using kernelize::CandidateTable;
using kernelize::ClassId;

namespace {

/// Picoseconds as microseconds with three digits, by integers.
std::string microseconds(int64_t picoseconds) {
  return fmt::format("{}.{:03d} us", picoseconds / 1'000'000, picoseconds % 1'000'000 / 1000);
}

std::string sourceOf(const graph::TensorGraph &graph, const Candidate &candidate) {
  std::string origins = originsOf(graph, candidate);
  return origins.empty() ? "(no source node)" : origins;
}

/// A class by the name of an input, or by number and type.
std::string nameOf(const graph::TensorGraph &graph, ClassId cls) {
  for (const graph::Endpoint &input : graph.inputs) {
    if (graph.find(input.cls) == cls) {
      return input.name;
    }
  }
  return fmt::format("{}{} {}", graph.isConstant(cls) ? "constant c" : "c", cls,
                     toString(graph.type(cls)));
}

std::string listOf(const graph::TensorGraph &graph, const std::vector<ClassId> &classes) {
  std::string text;
  for (size_t i = 0; i < classes.size(); ++i) {
    text += (i ? ", " : "") + nameOf(graph, classes[i]);
  }
  return text.empty() ? "nothing" : text;
}

std::string describe(const graph::TensorGraph &graph, const CandidateTable &table,
                     const Candidate &candidate) {
  switch (candidate.kind) {
  case Candidate::Kind::Alias:
    return fmt::format("alias of {} at byte {}", nameOf(graph, candidate.inputs[0]),
                       dim::toString(static_cast<int64_t>(candidate.offset)));
  case Candidate::Kind::ConcatInPlace:
    return fmt::format("concatenation in place of {}", listOf(graph, candidate.inputs));
  case Candidate::Kind::Kernel: break;
  }
  const kernelize::PricedProgram &program = table.programs[candidate.program];
  return fmt::format("{} kernel reading {}", name(program.program.family),
                     listOf(graph, candidate.inputs));
}

void addAlternatives(std::string &text, const graph::TensorGraph &graph,
                     const CandidateTable &table, uint32_t chosen) {
  std::vector<uint32_t> others;
  for (ClassId output : table.candidates[chosen].outputs) {
    for (uint32_t k : table.producersOf(output)) {
      if (k != chosen && std::find(others.begin(), others.end(), k) == others.end()) {
        others.push_back(k);
      }
    }
  }
  std::sort(others.begin(), others.end(), [&](uint32_t a, uint32_t b) {
    int64_t x = table.candidates[a].cost;
    int64_t y = table.candidates[b].cost;
    return x != y ? x < y : a < b;
  });
  constexpr size_t shown = 4;
  for (size_t i = 0; i < std::min(shown, others.size()); ++i) {
    const Candidate &other = table.candidates[others[i]];
    text += fmt::format("    instead: {} for {}\n", microseconds(other.cost),
                        describe(graph, table, other));
  }
  if (others.size() > shown) {
    text += fmt::format("    and {} more\n", others.size() - shown);
  }
}

/// Kernel names by program, as the plan gave them.
std::string kernelName(const CandidateTable &table, const BuiltPlan &built,
                       const Candidate &candidate) {
  const kernelize::Program &program = table.programs[candidate.program].program;
  for (size_t i = 0; i < built.programs.size(); ++i) {
    if (built.programs[i].hash() == program.hash() && built.programs[i].identical(program)) {
      return built.plan.kernels[i].name;
    }
  }
  return "";
}

void addCandidate(std::string &text, const graph::TensorGraph &graph, const CandidateTable &table,
                  const BuiltPlan &built, uint32_t k) {
  const Candidate &candidate = table.candidates[k];
  if (candidate.kind == Candidate::Kind::Kernel) {
    const kernelize::PricedProgram &program = table.programs[candidate.program];
    text += fmt::format("{}{}: {}\n", candidate.prepare ? "prepare " : "",
                        kernelName(table, built, candidate), sourceOf(graph, candidate));
    text += fmt::format("    cost {}, {} bytes, {} flops, {} ports, {} values\n",
                        microseconds(candidate.cost), program.bytes, program.flops,
                        program.program.ports.size(), program.program.values.size());
    text += fmt::format("    reads {}\n", listOf(graph, candidate.inputs));
  } else {
    text += fmt::format("no kernel: {}\n    {}\n", sourceOf(graph, candidate),
                        describe(graph, table, candidate));
  }
  text += fmt::format("    makes {}\n", listOf(graph, candidate.outputs));
  addAlternatives(text, graph, table, k);
}

} // namespace

std::string describeParts(const Choice &choice) {
  return choice.borders == 0
             ? ""
             : fmt::format("chosen in {} parts, {} of them different, among the choices that store "
                           "the {} tensors between equal parts\n",
                           choice.parts, choice.distinctParts, choice.borders);
}

std::string explain(const graph::TensorGraph &graph, const CandidateTable &table,
                    const Choice &choice, const BuiltPlan &built) {
  std::string text;
  for (uint32_t k : choice.candidates) {
    addCandidate(text, graph, table, built, k);
  }
  text += fmt::format(
      "total {}, lower bound {}, gap {} ({}; {} search nodes)\n", microseconds(choice.cost),
      microseconds(choice.lowerBound), microseconds(choice.cost - choice.lowerBound),
      choice.proved ? "proved optimal among these candidates" : "not proved", choice.searchNodes);
  text += describeParts(choice);
  if (built.plan.isSymbolic()) {
    text += fmt::format("costs are those of typical sizes: not known are {}\n",
                        fmt::join(rt::sizeVariables(built.plan), ", "));
  }
  text += fmt::format("table: {} candidates, {} programs, {} classes\n", table.candidates.size(),
                      table.programs.size(), table.classes.size());
  for (const kernelize::CapHit &cap : table.caps) {
    if (cap.hits > 0) {
      text += fmt::format("cap hit: {} ({}): {} times\n", cap.name, cap.limit, cap.hits);
    }
  }
  return text;
}

} // namespace zyxc::plan
