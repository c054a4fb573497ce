#include "compiler/plan/Origins.h"
#include "compiler/plan/PlanBuilder.h"
#include "runtime/plan/BindPlan.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

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

/// Says what was chosen, candidate by candidate. What is looked up often is found once.
class Explainer {
public:
  Explainer(const graph::TensorGraph &graph, const CandidateTable &table, const BuiltPlan &built,
            const Choice &choice)
      : graph(graph), table(table), kernelNames(built.kernelNames), producers(table.producers()) {
    for (const graph::Endpoint &input : graph.inputs) {
      inputNames.emplace(graph.find(input.cls), input.name);
      present.insert(graph.find(input.cls));
    }
    for (uint32_t k : choice.candidates) {
      const std::vector<ClassId> &made = table.candidates[k].outputs;
      present.insert(made.begin(), made.end());
    }
  }

  void addCandidate(std::string &text, uint32_t k) const {
    const Candidate &candidate = table.candidates[k];
    if (candidate.kind == Candidate::Kind::Kernel) {
      const kernelize::PricedProgram &program = table.programs[candidate.program];
      text += fmt::format("{}{}: {}\n", candidate.prepare ? "prepare " : "",
                          kernelNames[candidate.program], sourceOf(graph, candidate));
      text += fmt::format("    cost {}, {} bytes, {} flops, {} ports, {} values\n",
                          microseconds(candidate.cost), program.bytes, program.flops,
                          program.program.ports.size(), program.program.values.size());
      text += fmt::format("    reads {}\n", listOf(candidate.inputs));
    } else {
      text +=
          fmt::format("no kernel: {}\n    {}\n", sourceOf(graph, candidate), describe(candidate));
    }
    text += fmt::format("    makes {}\n", listOf(candidate.outputs));
    addAlternatives(text, k);
  }

private:
  /// A class by the name of an input, or by number and type.
  std::string nameOf(ClassId cls) const {
    if (auto input = inputNames.find(cls); input != inputNames.end()) {
      return input->second;
    }
    return fmt::format("{}{} {}", graph.isConstant(cls) ? "constant c" : "c", cls,
                       toString(graph.type(cls)));
  }

  std::string listOf(const std::vector<ClassId> &classes) const {
    std::string text;
    for (size_t i = 0; i < classes.size(); ++i) {
      text += (i ? ", " : "") + nameOf(classes[i]);
    }
    return text.empty() ? "nothing" : text;
  }

  std::string describe(const Candidate &candidate) const {
    switch (candidate.kind) {
    case Candidate::Kind::Alias:
      return fmt::format("alias of {} at byte {}", nameOf(candidate.inputs[0]),
                         dim::toString(static_cast<int64_t>(candidate.offset)));
    case Candidate::Kind::ConcatInPlace:
      return fmt::format("concatenation in place of {}", listOf(candidate.inputs));
    case Candidate::Kind::Kernel: break;
    }
    const kernelize::PricedProgram &program = table.programs[candidate.program];
    return fmt::format("{} kernel reading {}", name(program.program.family),
                       listOf(candidate.inputs));
  }

  /// What an alternative reads and the choice does not make: it costs extra, at least the cheapest
  /// kernel of each such class.
  std::string extraCost(const Candidate &other) const {
    std::vector<ClassId> missing;
    std::set<uint32_t> makers;
    for (ClassId input : other.inputs) {
      const std::vector<uint32_t> &makersOfInput = producers[input];
      if (present.contains(input) || graph.isConstant(input) || makersOfInput.empty()) {
        continue;
      }
      missing.push_back(input);
      makers.insert(*std::min_element(makersOfInput.begin(), makersOfInput.end(),
                                      [&](uint32_t a, uint32_t b) {
                                        return table.candidates[a].cost < table.candidates[b].cost;
                                      }));
    }
    int64_t extra = 0;
    for (uint32_t k : makers) {
      extra += table.candidates[k].cost;
    }
    return missing.empty()
               ? ""
               : fmt::format(", and {} or more to make {}: {} or more in all", microseconds(extra),
                             listOf(missing), microseconds(other.cost + extra));
  }

  void addAlternatives(std::string &text, uint32_t chosen) const {
    std::vector<uint32_t> others;
    for (ClassId output : table.candidates[chosen].outputs) {
      for (uint32_t k : producers[output]) {
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
      text += fmt::format("    instead: {} for {}{}\n", microseconds(other.cost), describe(other),
                          extraCost(other));
    }
    if (others.size() > shown) {
      text += fmt::format("    and {} more\n", others.size() - shown);
    }
  }

  const graph::TensorGraph &graph;
  const CandidateTable &table;
  const std::vector<std::string> &kernelNames; ///< by program of the table
  std::vector<std::vector<uint32_t>> producers;
  std::map<ClassId, std::string> inputNames;
  std::set<ClassId> present; ///< inputs, and what the choice makes
};

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
  Explainer explainer(graph, table, built, choice);
  for (uint32_t k : choice.candidates) {
    explainer.addCandidate(text, k);
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
  if (built.plan.lifetimes.empty()) {
    text += fmt::format("arena {} bytes, of which {} are in use at one time\n",
                        built.plan.arenaBytes, built.liveBytes);
  }
  text += fmt::format("table: {} candidates, {} programs, {} classes\n", table.candidates.size(),
                      table.programs.size(), table.classes.size());
  if (choice.memoryHits > 0) {
    text += fmt::format("limit hit: memory of the search ({} bytes): {} times\n",
                        extract::Limits().memory, choice.memoryHits);
  }
  for (const kernelize::CapHit &cap : table.caps) {
    if (cap.hits > 0) {
      text += fmt::format("cap hit: {} ({}): {} times\n", cap.name, cap.limit, cap.hits);
    }
  }
  return text;
}

} // namespace zyxc::plan
