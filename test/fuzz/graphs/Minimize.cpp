#include "test/fuzz/graphs/Check.h"
#include "test/fuzz/graphs/oracle/Oracle.h"
#include "test/fuzz/graphs/program/Open.h"
#include <algorithm>

namespace zyxc::fuzz {

/// Takes `smaller` if it still fails.
static bool take(Graph &graph, Graph smaller, const CheckOptions &options) {
  smaller = pruned(smaller);
  if (smaller.nodes.size() > graph.nodes.size() || check(smaller, options).empty()) {
    return false;
  }
  graph = std::move(smaller);
  return true;
}

/// Returns one value only: the earliest that fails, or one of the present outputs.
static bool cutOutputs(Graph &graph, const CheckOptions &options) {
  bool changed = false;
  if (graph.outputs.size() > 1 || graph.nodes.size() > graph.outputs[0] + 1) {
    for (uint32_t output : std::vector<uint32_t>(graph.outputs)) {
      Graph smaller = graph;
      smaller.outputs = {output};
      if (take(graph, std::move(smaller), options)) {
        changed = true;
        break;
      }
    }
  }
  for (size_t i = 0; graph.outputs.size() > 1 && i < graph.outputs.size();) {
    Graph smaller = graph;
    smaller.outputs.erase(smaller.outputs.begin() + static_cast<std::ptrdiff_t>(i));
    bool taken = take(graph, std::move(smaller), options);
    changed |= taken;
    i += !taken;
  }
  for (uint32_t node = 0; node + 1 < graph.nodes.size(); ++node) {
    Graph smaller = graph;
    smaller.outputs = {node};
    if (graph.nodes[node].kind != OpKind::Leaf && graph.nodes[node].kind != OpKind::Constant &&
        take(graph, std::move(smaller), options)) {
      return true;
    }
  }
  return changed;
}

/// Replaces ops by inputs of the same value, or by an operand of the same type.
static bool cutOps(Graph &graph, const CheckOptions &options) {
  bool changed = false;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    if (i >= graph.nodes.size() || graph.nodes[i].kind == OpKind::Leaf) {
      continue;
    }
    bool bypassed = false;
    for (uint32_t operand : std::vector<uint32_t>(graph.nodes[i].operands)) {
      if (bypassed || graph.nodes[operand].type != graph.nodes[i].type) {
        continue;
      }
      Graph smaller = graph;
      for (Node &node : smaller.nodes) {
        std::replace(node.operands.begin(), node.operands.end(), static_cast<uint32_t>(i), operand);
      }
      std::replace(smaller.outputs.begin(), smaller.outputs.end(), static_cast<uint32_t>(i),
                   operand);
      bypassed = take(graph, std::move(smaller), options);
    }
    if (bypassed) {
      changed = true;
      continue;
    }
    Expected<Graph> numbers = bound(graph, graph.sizes);
    Expected<std::vector<Tensor>> values =
        numbers ? interpret(*numbers) : Expected<std::vector<Tensor>>(numbers.error());
    if (!values) {
      continue;
    }
    Graph smaller = graph;
    smaller.nodes[i] = {OpKind::Leaf, {}, {}, graph.nodes[i].type, (*values)[i]};
    changed |= take(graph, std::move(smaller), options);
  }
  return changed;
}

/// Replaces variables of sizes by their values.
static bool cutVariables(Graph &graph, const CheckOptions &options) {
  bool changed = false;
  for (const auto &[name, size] : dim::Bindings(graph.sizes)) {
    Expected<Graph> smaller = bound(graph, {{name, size}});
    changed |= smaller && take(graph, *std::move(smaller), options);
  }
  return changed;
}

Graph minimized(Graph graph, const CheckOptions &options) {
  constexpr int rounds = 4;
  for (int round = 0; round < rounds; ++round) {
    bool changed = cutOutputs(graph, options);
    changed |= cutOps(graph, options);
    changed |= cutVariables(graph, options);
    if (!changed) {
      break;
    }
  }
  return graph;
}

} // namespace zyxc::fuzz
