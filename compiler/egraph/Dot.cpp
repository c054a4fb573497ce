#include "compiler/egraph/Dot.h"
#include <fmt/format.h>
#include <map>

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

std::string toDot(const Drawing &drawing) {
  std::string text = "digraph egraph {\n  compound=true;\n  node [shape=box];\n";
  auto out = std::back_inserter(text);
  std::map<Id, std::vector<const Drawing::Node *>> members;
  for (const Drawing::Node &node : drawing.nodes) {
    members[node.cls].push_back(&node);
  }
  for (const Drawing::Class &cls : drawing.classes) {
    fmt::format_to(out, "  subgraph cluster_{} {{\n    style=rounded; label={};\n", cls.id,
                   quoted(cls.title));
    for (const Drawing::Node *node : members[cls.id]) {
      fmt::format_to(out, "    n{} [label={}];\n", node->id, quoted(node->label));
    }
    text += "  }\n";
  }
  for (const Drawing::Node &node : drawing.nodes) {
    for (size_t i = 0; i < node.children.size(); ++i) {
      Id child = node.children[i];
      // An edge ends at a node; lhead cuts it at the border of the cluster.
      fmt::format_to(out, "  n{} -> n{} [lhead=cluster_{}, taillabel={}];\n", node.id,
                     members[child].front()->id, child, i);
    }
  }
  return text + "}\n";
}

std::string toDot(const EGraph &graph, const std::function<std::string(NodeId)> &label,
                  const std::function<std::string(Id)> &title) {
  Drawing drawing;
  for (Id id = 0; id < graph.numNodes(); ++id) {
    if (graph.find(id) == id) {
      std::string name = fmt::format("class {}", id);
      drawing.classes.push_back({id, title ? name + "\n" + title(id) : name});
    }
    if (graph.isLive(id)) {
      Drawing::Node node = {id, graph.find(id), label(id), {}};
      for (Id child : graph.children(id)) {
        node.children.push_back(graph.find(child));
      }
      drawing.nodes.push_back(std::move(node));
    }
  }
  return toDot(drawing);
}

} // namespace zyxc::egraph
