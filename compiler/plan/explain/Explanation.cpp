#include "compiler/plan/explain/Explanation.h"
#include <algorithm>
#include <set>

namespace zyxc::explain {

std::string_view name(Stored::Kind kind) {
  switch (kind) {
  case Stored::Kind::Input: return "input";
  case Stored::Kind::Constant: return "constant";
  case Stored::Kind::Made: return "made";
  case Stored::Kind::Missing: return "missing";
  }
}

std::string_view name(FormStep::By by) {
  switch (by) {
  case FormStep::By::Rule: return "rule";
  case FormStep::By::Order: return "order of operands";
  case FormStep::By::Folding: return "folding";
  case FormStep::By::Decomposition: return "decomposition";
  case FormStep::By::Given: return "given";
  }
}

std::string_view name(Role role) {
  switch (role) {
  case Role::Computed: return "computed";
  case Role::Rewritten: return "rewritten";
  case Role::Served: return "served";
  }
}

std::string_view name(Rejected::Why why) {
  switch (why) {
  case Rejected::Why::Dearer: return "dearer";
  case Rejected::Why::Same: return "same";
  case Rejected::Why::Cheaper: return "cheaper";
  case Rejected::Why::Place: return "place";
  case Rejected::Why::Cycle: return "cycle";
  }
}

std::string_view name(ChosenKernel::Kind kind) {
  switch (kind) {
  case ChosenKernel::Kind::Kernel: return "kernel";
  case ChosenKernel::Kind::Alias: return "alias";
  case ChosenKernel::Kind::Concat: return "concat";
  }
}

std::string_view name(ModelNode::State state) {
  switch (state) {
  case ModelNode::State::InKernels: return "inKernels";
  case ModelNode::State::Constant: return "constant";
  case ModelNode::State::Input: return "input";
  case ModelNode::State::Unused: return "unused";
  }
}

std::vector<std::string> nodeNames(const Explanation &explanation) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  for (const Part &part : explanation.parts) {
    for (const ModelNode &node : part.nodes) {
      if (known.insert(node.name).second) {
        names.push_back(node.name);
      }
    }
  }
  return names;
}

/// The kernels of the node, and the nodes that these are of.
static Part restrictedTo(const Part &part, const ModelNode &node) {
  std::set<int> kernels;
  for (const Membership &kernel : node.kernels) {
    kernels.insert(kernel.id);
  }
  Part result = part;
  std::erase_if(result.kernels,
                [&](const ChosenKernel &kernel) { return !kernels.contains(kernel.id); });
  std::set<int> nodes;
  for (const ChosenKernel &kernel : result.kernels) {
    for (const Membership &member : kernel.nodes) {
      nodes.insert(member.id);
    }
  }
  nodes.erase(node.id);
  std::erase_if(result.nodes, [&](const ModelNode &other) { return !nodes.contains(other.id); });
  result.nodes.insert(result.nodes.begin(), node);
  return result;
}

Explanation restrictedTo(const Explanation &explanation, std::string_view node) {
  Explanation result;
  result.openSizes = explanation.openSizes;
  result.measuredCosts = explanation.measuredCosts;
  for (const Part &part : explanation.parts) {
    auto found = std::find_if(part.nodes.begin(), part.nodes.end(),
                              [&](const ModelNode &other) { return other.name == node; });
    if (found != part.nodes.end()) {
      result.parts.push_back(restrictedTo(part, *found));
    }
  }
  return result;
}

} // namespace zyxc::explain
