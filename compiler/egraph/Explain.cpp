#include "compiler/egraph/Explain.h"
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace zyxc::egraph {

std::vector<uint32_t> rulesBehind(const EGraph &graph, Id cls) {
  std::unordered_map<Id, std::vector<const UnionRecord *>> unionsOf;
  for (const UnionRecord &record : graph.unionLog()) {
    unionsOf[graph.find(record.a)].push_back(&record);
  }
  std::vector<uint32_t> rules;
  std::vector<Id> work = {graph.find(cls)};
  std::unordered_set<Id> seen(work.begin(), work.end());
  while (!work.empty()) {
    Id current = work.back();
    work.pop_back();
    for (const UnionRecord *record : unionsOf[current]) {
      if (record->reason.kind == Reason::Kind::Rule) {
        rules.push_back(record->reason.id);
      }
      if (record->reason.kind != Reason::Kind::Congruence) {
        continue;
      }
      std::span<const Id> a = graph.originalChildren(record->a);
      std::span<const Id> b = graph.originalChildren(record->b);
      for (size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i] && seen.insert(graph.find(a[i])).second) {
          work.push_back(graph.find(a[i]));
        }
      }
    }
  }
  std::ranges::sort(rules);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

} // namespace zyxc::egraph
