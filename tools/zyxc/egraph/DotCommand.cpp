// `zyxc egraph dot`: a picture of a small e-graph.
#include "compiler/egraph/Dot.h"
#include "tools/zyxc/egraph/EGraphCommand.h"
#include "tools/zyxc/egraph/EGraphFile.h"
#include <algorithm>

namespace zyxc::tool {

Status printDot(const EGraphLine &line) {
  ZYXC_ASSIGN(EGraphFile graph, EGraphFile::read(line.file, line.repairRoots));
  if (graph.nodes.size() > line.mostNodes) {
    return makeError(ErrorCode::Unsupported,
                     "{}: {} nodes are too many to look at: --most-nodes draws more than {}",
                     line.file, graph.nodes.size(), line.mostNodes);
  }
  egraph::Drawing drawing;
  for (uint32_t cls = 0; cls < graph.classes.size(); ++cls) {
    bool isRoot = std::ranges::find(graph.roots, cls) != graph.roots.end();
    drawing.classes.push_back({cls, "class " + graph.classes[cls] + (isRoot ? ", root" : "")});
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const EGraphFile::Node &node = graph.nodes[i];
    drawing.nodes.push_back({i, node.cls, node.op.empty() ? node.name : node.op, node.children});
  }
  fmt::print("{}", egraph::toDot(drawing));
  return Status::ok();
}

} // namespace zyxc::tool
