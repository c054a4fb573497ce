// The slow oracle of saturation: terms in a list, all ways to match tried anew in each iteration,
// congruence closed by comparing all nodes until nothing changes. It shares rules as data with the
// engine and no code.
#pragma once
#include "compiler/egraph/pattern/Rule.h"
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace zyxc::egraph {

class NaiveSaturation {
public:
  size_t addTerm(const Pattern &pattern, const std::vector<size_t> &bindings = {},
                 uint32_t place = 0) {
    const PatternTerm &term = pattern.terms[place];
    if (term.isVariable()) {
      return find(bindings[term.variable]);
    }
    Node node = {term.op, term.payload, {}};
    for (uint32_t child : term.children) {
      std::get<2>(node).push_back(addTerm(pattern, bindings, child));
    }
    auto [entry, isNew] = nodes.try_emplace(node, root.size());
    if (isNew) {
      root.push_back(root.size());
    }
    return entry->second;
  }

  void iterate(const std::vector<Rule> &rules) {
    std::vector<std::pair<const Rule *, std::vector<size_t>>> found;
    for (const Rule &rule : rules) {
      std::vector<size_t> bindings(rule.numVariables, unbound);
      matchPremise(rule, 0, bindings, [&] { found.emplace_back(&rule, bindings); });
    }
    for (const auto &[rule, bindings] : found) {
      for (const Conclusion &conclusion : rule->conclusions) {
        unite(bindings[conclusion.cls], addTerm(conclusion.pattern, bindings));
      }
    }
    close();
  }

  void close() {
    for (bool changed = true; changed;) {
      changed = false;
      std::map<Node, size_t> canonical;
      for (const auto &[node, cls] : nodes) {
        Node form = node;
        for (size_t &child : std::get<2>(form)) {
          child = find(child);
        }
        auto [entry, isNew] = canonical.try_emplace(form, find(cls));
        if (!isNew && find(entry->second) != find(cls)) {
          unite(entry->second, cls);
          changed = true;
        }
      }
      nodes = std::move(canonical);
    }
    for (auto &[node, cls] : nodes) {
      cls = find(cls);
    }
  }

  size_t find(size_t at) const {
    while (root[at] != at) {
      at = root[at];
    }
    return at;
  }
  size_t numNodes() const { return nodes.size(); }
  size_t numClasses() const {
    std::set<size_t> classes;
    for (const auto &[node, cls] : nodes) {
      classes.insert(find(cls));
    }
    return classes.size();
  }

private:
  using Node = std::tuple<uint32_t, uint32_t, std::vector<size_t>>; ///< op, payload, operands
  static constexpr size_t unbound = ~size_t{0};

  void unite(size_t a, size_t b) { root[find(a)] = find(b); }

  void matchPremise(const Rule &rule, size_t premise, std::vector<size_t> &bindings,
                    const std::function<void()> &next) {
    if (premise == rule.premises.size()) {
      next();
      return;
    }
    const Premise &wanted = rule.premises[premise];
    std::set<size_t> classes;
    for (const auto &[node, cls] : nodes) {
      classes.insert(cls);
    }
    for (size_t cls : classes) {
      size_t before = bindings[wanted.cls];
      if (before != unbound && before != cls) {
        continue;
      }
      bindings[wanted.cls] = cls;
      std::vector<std::pair<uint32_t, size_t>> goals = {{0u, cls}};
      matchGoals(wanted.pattern, goals, bindings,
                 [&] { matchPremise(rule, premise + 1, bindings, next); });
      bindings[wanted.cls] = before;
    }
  }

  void matchGoals(const Pattern &pattern, std::vector<std::pair<uint32_t, size_t>> goals,
                  std::vector<size_t> &bindings, const std::function<void()> &next) {
    if (goals.empty()) {
      next();
      return;
    }
    auto [place, cls] = goals.back();
    goals.pop_back();
    const PatternTerm &term = pattern.terms[place];
    if (term.isVariable()) {
      size_t before = bindings[term.variable];
      if (before == unbound || before == cls) {
        bindings[term.variable] = cls;
        matchGoals(pattern, goals, bindings, next);
        bindings[term.variable] = before;
      }
      return;
    }
    for (const auto &[node, nodeClass] : nodes) {
      const auto &[op, payload, children] = node;
      if (nodeClass != cls || op != term.op || payload != term.payload ||
          children.size() != term.children.size()) {
        continue;
      }
      std::vector<std::pair<uint32_t, size_t>> more = goals;
      for (size_t i = 0; i < children.size(); ++i) {
        more.emplace_back(term.children[i], children[i]);
      }
      matchGoals(pattern, more, bindings, next);
    }
  }

  std::map<Node, size_t> nodes;
  std::vector<size_t> root;
};

} // namespace zyxc::egraph
