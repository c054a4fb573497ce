#include "tools/zyxc/egraph/EGraphProblem.h"
#include <algorithm>

namespace zyxc::tool {

using Wide = __int128;

/// The largest sum of costs: the extractor's infinity is beyond.
static constexpr Wide mostCost = 1'000'000'000'000'000'000;

/// cost * 10^decimals, rounded to the nearest; mostCost + 1 if it is larger than that.
static Wide scaled(const Decimal &cost, int decimals, bool &rounded) {
  Wide value = cost.digits;
  int shift = cost.exponent + decimals;
  for (; shift > 0 && value != 0; --shift) {
    value *= 10;
    if (value > mostCost) {
      return mostCost + 1;
    }
  }
  if (shift < -18) { // digits are at most 18
    rounded |= value != 0;
    return 0;
  }
  Wide unit = 1;
  for (; shift < 0; ++shift) {
    unit *= 10;
  }
  rounded |= value % unit != 0;
  return (value + unit / 2) / unit;
}

/// No choice costs more: a class contributes one node.
static Wide largestTotal(const EGraphFile &graph, int decimals) {
  std::vector<Wide> most(graph.classes.size(), 0);
  bool rounded = false;
  for (const EGraphFile::Node &node : graph.nodes) {
    most[node.cls] = std::max(most[node.cls], scaled(node.cost, decimals, rounded));
  }
  Wide total = 0;
  for (Wide value : most) {
    total = std::min<Wide>(total + value, mostCost + 1);
  }
  return total;
}

static Status checkRoots(const EGraphFile &graph) {
  std::vector<bool> finite(graph.classes.size(), false);
  std::vector<std::vector<uint32_t>> users(graph.classes.size());
  std::vector<size_t> missing(graph.nodes.size());
  std::vector<uint32_t> ready;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    missing[i] = graph.nodes[i].children.size();
    for (uint32_t child : graph.nodes[i].children) {
      users[child].push_back(i);
    }
    if (missing[i] == 0) {
      ready.push_back(i);
    }
  }
  while (!ready.empty()) {
    uint32_t cls = graph.nodes[ready.back()].cls;
    ready.pop_back();
    if (finite[cls]) {
      continue;
    }
    finite[cls] = true;
    for (uint32_t user : users[cls]) {
      if (--missing[user] == 0) {
        ready.push_back(user);
      }
    }
  }
  for (uint32_t root : graph.roots) {
    if (!finite[root]) {
      return makeError(ErrorCode::Input,
                       "class '{}' has no finite term: each of its nodes depends on a cycle",
                       graph.classes[root]);
    }
  }
  return Status::ok();
}

Expected<EGraphProblem> makeProblem(const EGraphFile &graph) {
  ZYXC_RETURN_IF_ERROR(checkRoots(graph));
  EGraphProblem result;
  for (const EGraphFile::Node &node : graph.nodes) {
    result.decimals = std::clamp(-node.cost.exponent, result.decimals, 30);
  }
  while (result.decimals > 0 && largestTotal(graph, result.decimals) > mostCost) {
    --result.decimals;
  }
  if (largestTotal(graph, result.decimals) > mostCost) {
    return makeError(ErrorCode::Unsupported,
                     "the costs of a choice can exceed 10^18: divide all costs by one number");
  }
  result.problem.numClasses = static_cast<uint32_t>(graph.classes.size());
  result.problem.required = graph.roots;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const EGraphFile::Node &node = graph.nodes[i];
    if (std::find(node.children.begin(), node.children.end(), node.cls) != node.children.end()) {
      continue;
    }
    Wide cost = scaled(node.cost, result.decimals, result.rounded);
    result.problem.candidates.push_back({node.children, {node.cls}, static_cast<int64_t>(cost)});
    result.node.push_back(i);
  }
  return result;
}

std::string EGraphProblem::text(int64_t cost) const {
  std::string digits = std::to_string(cost);
  if (decimals == 0) {
    return digits;
  }
  auto places = static_cast<size_t>(decimals);
  if (digits.size() <= places) {
    digits.insert(0, places + 1 - digits.size(), '0');
  }
  digits.insert(digits.size() - places, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') {
    digits.pop_back();
  }
  return digits;
}

} // namespace zyxc::tool
