#include "compiler/plan/Origins.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::plan {

std::vector<std::string> originNames(const graph::TensorGraph &graph,
                                     const kernelize::Candidate &candidate) {
  std::vector<std::string> origins;
  for (kernelize::NodeId node : candidate.nodes) {
    const std::string &origin = graph.origin(node);
    if (!origin.empty() && std::find(origins.begin(), origins.end(), origin) == origins.end()) {
      origins.push_back(origin);
    }
  }
  return origins;
}

std::string joinNames(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names, " + "));
}

} // namespace zyxc::plan
