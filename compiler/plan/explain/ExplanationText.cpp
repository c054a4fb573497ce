#include "compiler/plan/PlanBuilder.h"
#include "compiler/plan/explain/Explanation.h"
#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <iterator>
#include <map>

namespace zyxc::explain {

namespace {

/// Picoseconds, not negative, as microseconds with three digits, by integers. What these do not
/// show stays picoseconds.
std::string timeOf(int64_t picoseconds) {
  constexpr int64_t shown = 1000;
  return picoseconds > 0 && picoseconds < shown
             ? fmt::format("{} ps", picoseconds)
             : fmt::format("{}.{:03d} us", picoseconds / 1'000'000, picoseconds % 1'000'000 / 1000);
}

std::string textOf(const Stored &stored) {
  switch (stored.kind) {
  case Stored::Kind::Input: return stored.name;
  case Stored::Kind::Constant: return fmt::format("constant {} {}", stored.name, stored.type);
  case Stored::Kind::Made:
  case Stored::Kind::Missing: break;
  }
  return fmt::format("{} {}", stored.name, stored.type);
}

std::string listOf(const std::vector<Stored> &list) {
  std::string text;
  for (const Stored &stored : list) {
    text += (text.empty() ? "" : ", ") + textOf(stored);
  }
  return text.empty() ? "nothing" : text;
}

/// "3 times", and nothing for once.
std::string times(int64_t count) {
  return count == 1 ? "" : fmt::format(" ({} times)", count);
}

class Writer {
public:
  Writer(const Part &part, bool full) : part(part), full(full) {
    for (const ChosenKernel &kernel : part.kernels) {
      kernels.emplace(kernel.id, &kernel);
    }
    for (const ModelNode &node : part.nodes) {
      nodes.emplace(node.id, &node);
    }
  }

  std::string write() {
    if (!part.name.empty()) {
      print("// region {}\n", part.name);
    }
    for (const ChosenKernel &kernel : part.kernels) {
      addKernel(kernel);
    }
    addCertificate();
    return std::move(text);
  }

  /// One line about a node.
  std::string nodeLine(const ModelNode &node) {
    print("node {} ({})", node.name, fmt::join(node.ops, ", "));
    std::string_view before = ": ";
    for (const Membership &kernel : node.kernels) {
      print("{}{} by {}", before, name(kernel.role), kernelName(kernel.id));
      before = ", ";
    }
    switch (node.state) {
    case ModelNode::State::InKernels: break;
    case ModelNode::State::Constant: print(": its value is known at compile time"); break;
    case ModelNode::State::Input: print(": its value is that of an input"); break;
    case ModelNode::State::Unused: print(": no output needs it"); break;
    }
    text += "\n";
    return std::move(text);
  }

private:
  template <class... Args> void print(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  }

  /// The name in the plan; of what is no kernel what it is.
  std::string kernelName(int id) const {
    auto found = kernels.find(id);
    if (found == kernels.end()) {
      return fmt::format("#{}", id);
    }
    const ChosenKernel &kernel = *found->second;
    return kernel.name.empty() ? fmt::format("{} (#{})", kernel.what, id) : kernel.name;
  }

  std::string nodeName(int id) const {
    auto found = nodes.find(id);
    return found == nodes.end() ? fmt::format("#{}", id) : found->second->name;
  }

  void addKernel(const ChosenKernel &kernel) {
    std::string origins = nodeNames(kernel, {Role::Computed, Role::Rewritten}, " + ");
    origins = origins.empty() ? "(no source node)" : origins;
    if (kernel.kind == ChosenKernel::Kind::Kernel) {
      print("{}{}: {}\n", kernel.atLoad ? "prepare " : "", kernel.name, origins);
      print("    cost {}, {} bytes, {} flops, {} ports, {} values\n", timeOf(kernel.cost),
            kernel.bytes, kernel.flops, kernel.ports, kernel.values);
      print("    reads {}\n", listOf(kernel.reads));
    } else {
      print("no kernel: {}\n    {} of {}\n", origins, kernel.what, listOf(kernel.reads));
    }
    print("    makes {}\n", listOf(kernel.makes));
    if (!kernel.runs.empty()) {
      print("    runs region {}\n", fmt::join(kernel.runs, ", "));
    }
    if (std::string names = nodeNames(kernel, {Role::Rewritten}, ", "); !names.empty()) {
      print("    rewritten {}\n", names);
    }
    if (std::string names = nodeNames(kernel, {Role::Served}, ", "); !names.empty()) {
      print("    for {}\n", names);
    }
    addForm(kernel);
    addRejected(kernel);
  }

  std::string nodeNames(const ChosenKernel &kernel, std::initializer_list<Role> roles,
                        std::string_view between) const {
    std::vector<std::string> names;
    for (const Membership &node : kernel.nodes) {
      if (std::find(roles.begin(), roles.end(), node.role) != roles.end()) {
        names.push_back(nodeName(node.id));
      }
    }
    return fmt::format("{}", fmt::join(names, between));
  }

  void addForm(const ChosenKernel &kernel) {
    if (full) {
      for (const FormStep &step : kernel.form) {
        print("    {}\n    = {}\n        by {}\n", step.from, step.to, step.because);
      }
      return;
    }
    std::vector<std::pair<std::string, int64_t>> counts; // in the order of the first one
    for (const FormStep &step : kernel.form) {
      std::string by = step.by == FormStep::By::Rule
                           ? step.rule + (step.backwards ? " backwards" : "")
                           : std::string(name(step.by));
      auto found = std::find_if(counts.begin(), counts.end(),
                                [&](const auto &entry) { return entry.first == by; });
      if (found == counts.end()) {
        counts.emplace_back(by, 1);
      } else {
        ++found->second;
      }
    }
    std::string_view before = "    by ";
    for (const auto &[by, count] : counts) {
      print("{}{}{}", before, by, times(count));
      before = ", ";
    }
    text += counts.empty() ? "" : "\n";
  }

  void addRejected(const ChosenKernel &kernel) {
    constexpr size_t few = 4;
    size_t shown = full ? kernel.rejected.size() : std::min(few, kernel.rejected.size());
    for (size_t i = 0; i < shown; ++i) {
      const Rejected &other = kernel.rejected[i];
      bool isKernel = other.what.ends_with("kernel");
      std::string nodes = full && isKernel && !other.origins.empty()
                              ? fmt::format(" of {}", fmt::join(other.origins, " + "))
                              : "";
      print("    instead: {} for {}{} {} {}: ", timeOf(other.cost), other.what, nodes,
            isKernel ? "reading" : "of", listOf(other.reads));
      addReason(other);
      text += "\n";
    }
    if (shown < kernel.rejected.size()) {
      print("    and {} more\n", kernel.rejected.size() - shown);
    }
  }

  void addReason(const Rejected &other) {
    switch (other.why) {
    case Rejected::Why::Place: print("a tensor would have two places"); return;
    case Rejected::Why::Cycle: print("it would need its own result"); return;
    case Rejected::Why::Dearer: print("{} more in all", timeOf(other.inAll)); break;
    case Rejected::Why::Same: print("the same in all"); break;
    case Rejected::Why::Cheaper:
      print("{} less in all, {}", timeOf(-other.inAll),
            part.borders ? "without what is stored between equal parts"
                         : "which the search did not find");
      break;
    }
    std::string_view before = ", with ";
    for (const Rejected::Extra &extra : other.extras) {
      print("{}{} to make {}", before, timeOf(extra.cost), listOf(extra.makes));
      before = ", ";
    }
    before = ", without ";
    for (int id : other.saves) {
      auto found = kernels.find(id);
      print("{}{}", before, kernelName(id));
      if (found != kernels.end() && found->second->cost > 0) {
        print(" ({})", timeOf(found->second->cost));
      }
      before = ", ";
    }
    if (other.keepsChosen) {
      print(", beside the chosen one");
    }
  }

  void addCertificate() {
    print("total {}, lower bound {}, gap {} ({}; {} search nodes)\n", timeOf(part.cost),
          timeOf(part.lowerBound), timeOf(part.gap()),
          part.proved ? "proved optimal among these candidates" : "not proved", part.searchNodes);
    plan::Choice choice;
    choice.borders = part.borders;
    choice.parts = part.parts;
    choice.distinctParts = part.distinctParts;
    text += plan::describeParts(choice);
    if (part.arenaBytes > 0) {
      print("arena {} bytes, of which {} are in use at one time\n", part.arenaBytes,
            part.liveBytes);
    }
    print("table: {} candidates, {} programs, {} classes\n", part.candidates, part.programs,
          part.classes);
    for (const LimitHit &limit : part.limits) {
      std::string number = limit.limit ? fmt::format(" ({})", limit.limit) : "";
      std::string hits = limit.hits > 1 ? fmt::format(", {} times", limit.hits) : "";
      print("limit hit in {}: {}{}{}\n", limit.step, limit.name, number, hits);
    }
  }

  const Part &part;
  bool full;
  std::map<int, const ChosenKernel *> kernels;
  std::map<int, const ModelNode *> nodes;
  std::string text;
};

} // namespace

std::string toText(const Explanation &explanation, bool full) {
  std::string text;
  for (const Part &part : explanation.parts) {
    text += Writer(part, full).write();
  }
  if (!explanation.openSizes.empty()) {
    text += fmt::format("costs are those of typical sizes: not known are {}\n",
                        fmt::join(explanation.openSizes, ", "));
  }
  if (!explanation.measuredCosts.empty()) {
    text += fmt::format("costs of kernels that were measured are their times: {}\n",
                        explanation.measuredCosts);
  }
  return text;
}

std::string nodeText(const Part &part, const ModelNode &node) {
  return Writer(part, false).nodeLine(node);
}

} // namespace zyxc::explain
