#include "compiler/egraph/Dot.h"
#include <fmt/format.h>

namespace zyxc::egraph {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

} // namespace

std::string toDot(const EGraph &graph, const std::function<std::string(NodeId)> &label,
                  const std::function<std::string(Id)> &title) {
  std::string text = "digraph egraph {\n  compound=true;\n  node [shape=box];\n";
  auto out = std::back_inserter(text);
  for (Id cls = 0; cls < graph.numNodes(); ++cls) {
    if (graph.find(cls) != cls) {
      continue;
    }
    std::string name = fmt::format("class {}", cls);
    if (title) {
      name += "\n" + title(cls);
    }
    fmt::format_to(out, "  subgraph cluster_{} {{\n    style=rounded; label={};\n", cls,
                   quoted(name));
    for (NodeId node : graph.nodesOf(cls)) {
      fmt::format_to(out, "    n{} [label={}];\n", node, quoted(label(node)));
    }
    text += "  }\n";
  }
  for (NodeId node = 0; node < graph.numNodes(); ++node) {
    if (!graph.isLive(node)) {
      continue;
    }
    for (size_t i = 0; i < graph.children(node).size(); ++i) {
      Id child = graph.find(graph.children(node)[i]);
      fmt::format_to(out, "  n{} -> n{} [lhead=cluster_{}, taillabel={}];\n", node,
                     *graph.nodesOf(child).begin(), child, i);
    }
  }
  return text + "}\n";
}

} // namespace zyxc::egraph
