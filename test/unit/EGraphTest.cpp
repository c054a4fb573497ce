// The e-graph engine: hash-consing, unions, congruence, analyses, limits of depth, determinism.
#include "compiler/egraph/EGraph.h"
#include "compiler/egraph/Dot.h"
#include "compiler/egraph/Explain.h"
#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

Id addTerm(EGraph &graph, uint32_t op, std::initializer_list<Id> children, uint32_t payload = 0) {
  return graph.add(op, payload, std::span(children.begin(), children.size()));
}

void requireSound(EGraph &graph) {
  Status rebuilt = graph.rebuild();
  INFO(rebuilt.message());
  REQUIRE(rebuilt.isOk());
  Status verified = graph.verify();
  INFO(verified.message());
  REQUIRE(verified.isOk());
}

/// The slow oracle: terms as they were made, and a union-find closed by comparing all pairs.
struct NaiveClosure {
  struct Term {
    uint32_t op;
    std::vector<size_t> children;
  };
  std::vector<Term> terms;
  std::vector<size_t> root;

  size_t find(size_t at) const {
    while (root[at] != at) {
      at = root[at];
    }
    return at;
  }
  void add(uint32_t op, std::vector<size_t> children) {
    terms.push_back({op, std::move(children)});
    root.push_back(root.size());
  }
  void unite(size_t a, size_t b) { root[find(a)] = find(b); }
  bool congruent(size_t a, size_t b, uint32_t commutativeOp) const {
    if (terms[a].op != terms[b].op || terms[a].children.size() != terms[b].children.size()) {
      return false;
    }
    std::vector<size_t> left, right;
    for (size_t i = 0; i < terms[a].children.size(); ++i) {
      left.push_back(find(terms[a].children[i]));
      right.push_back(find(terms[b].children[i]));
    }
    if (terms[a].op == commutativeOp) {
      std::sort(left.begin(), left.end());
      std::sort(right.begin(), right.end());
    }
    return left == right;
  }
  void close(uint32_t commutativeOp) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t a = 0; a < terms.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
          if (find(a) != find(b) && congruent(a, b, commutativeOp)) {
            unite(a, b);
            changed = true;
          }
        }
      }
    }
  }
};

constexpr uint32_t commutativeOp = 12;

/// One random step on both; ops 0..9 are atoms, 10 unary, 11 and 12 binary, 13 of four operands.
void randomStep(EGraph &graph, NaiveClosure &naive, std::vector<Id> &ids, std::mt19937 &random) {
  auto pick = [&] {
    return static_cast<size_t>(random() % ids.size());
  };
  uint32_t choice = random() % 10;
  if (choice < 2 && ids.size() > 1) {
    size_t a = pick();
    size_t b = pick();
    graph.unite(ids[a], ids[b], Reason::client());
    naive.unite(a, b);
    return;
  }
  uint32_t op = ids.empty() || choice == 2 ? random() % 10 : 10 + random() % 4;
  std::vector<size_t> operands(op < 10 ? 0 : op == 10 ? 1 : op == 13 ? 4 : 2);
  std::vector<Id> children;
  for (size_t &operand : operands) {
    operand = pick();
    children.push_back(ids[operand]);
  }
  ids.push_back(graph.add(op, 0, children));
  naive.add(op, operands);
}

} // namespace

TEST_CASE("equal nodes are one node", "[egraph]") {
  EGraph graph;
  Id a = addTerm(graph, 1, {});
  Id b = addTerm(graph, 1, {}, 7);
  CHECK(a != b); // another payload
  Id f = addTerm(graph, 2, {a, b});
  CHECK(addTerm(graph, 2, {a, b}) == f);
  CHECK(addTerm(graph, 2, {b, a}) != f);
  Id wide = addTerm(graph, 3, {a, b, f, a, b});
  CHECK(addTerm(graph, 3, {a, b, f, a, b}) == wide);
  CHECK(addTerm(graph, 3, {a, b, f, a, a}) != wide);
  CHECK(graph.numNodes() == 6);
  CHECK(graph.nodesWithOp(2).size() == 2);
  requireSound(graph);
}

// KZ-T-H9: one id for one op, payload and list of children, against a table of all that was added.
TEST_CASE("100 000 random nodes are equal where their fields are", "[egraph]") {
  EGraph graph;
  std::mt19937 random(5);
  std::map<std::tuple<uint32_t, uint32_t, std::vector<Id>>, Id> table;
  std::vector<Id> ids = {addTerm(graph, 0, {})};
  table[{0, 0, {}}] = ids[0];
  for (int i = 0; i < 100'000; ++i) {
    uint32_t op = random() % 6;
    uint32_t payload = random() % 3;
    std::vector<Id> children(op == 5 ? 5 : op % 4);
    for (Id &child : children) {
      // Mostly of a few, so that equal nodes come up often.
      child = ids[random() % (random() % 4 ? std::min<size_t>(ids.size(), 12) : ids.size())];
    }
    Id id = graph.add(op, payload, children);
    auto [entry, isNew] = table.try_emplace({op, payload, children}, id);
    REQUIRE(entry->second == id);
    if (isNew) {
      ids.push_back(id);
    }
  }
  CHECK(graph.numNodes() == table.size());
  CHECK(table.size() < 90'000);
  requireSound(graph);
}

TEST_CASE("operands of a commutative op are sorted", "[egraph]") {
  EGraph graph;
  graph.setCommutative(2);
  Id a = addTerm(graph, 1, {}, 0);
  Id b = addTerm(graph, 1, {}, 1);
  Id c = addTerm(graph, 1, {}, 2);
  CHECK(addTerm(graph, 2, {a, b}) == addTerm(graph, 2, {b, a}));
  Id ac = addTerm(graph, 2, {a, c});
  Id cb = addTerm(graph, 2, {c, b});
  graph.unite(a, b, Reason::client());
  requireSound(graph);
  CHECK(graph.same(ac, cb));
}

// KZ-T-H8
TEST_CASE("a union reaches users through chains and wide nodes", "[egraph]") {
  EGraph graph;
  Id a = addTerm(graph, 1, {}, 0);
  Id b = addTerm(graph, 1, {}, 1);
  Id fa = addTerm(graph, 2, {a});
  Id fb = addTerm(graph, 2, {b});
  Id wideA = addTerm(graph, 3, {a, fa, a, fa});
  Id wideB = addTerm(graph, 3, {b, fb, a, fb});
  CHECK(graph.unite(a, b, Reason::rule(4)));
  CHECK_FALSE(graph.unite(b, a, Reason::rule(5)));
  CHECK_FALSE(graph.isClean());
  requireSound(graph);
  CHECK(graph.same(fa, fb));
  CHECK(graph.same(wideA, wideB));
  CHECK(graph.numClasses() == 3);
  CHECK(graph.numLiveNodes() == 4);
  CHECK(rulesBehind(graph, wideA) == std::vector<uint32_t>{4});
  CHECK(rulesBehind(graph, b) == std::vector<uint32_t>{4});
}

TEST_CASE("a class can contain itself", "[egraph]") {
  EGraph graph;
  Id a = addTerm(graph, 1, {});
  Id fa = addTerm(graph, 2, {a});
  Id ffa = addTerm(graph, 2, {fa});
  graph.unite(a, fa, Reason::client());
  requireSound(graph);
  CHECK(graph.same(a, ffa));
  CHECK(graph.numLiveNodes() == 2);
}

// KZ-T-H9
TEST_CASE("congruence equals the naive closure on random graphs", "[egraph]") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    EGraph graph;
    graph.setCommutative(commutativeOp);
    NaiveClosure naive;
    std::vector<Id> ids;
    for (int step = 0; step < 60; ++step) {
      randomStep(graph, naive, ids, random);
      // Some unions wait for each other, so that batches are tested too.
      if (random() % 3 == 0) {
        requireSound(graph);
      }
    }
    requireSound(graph);
    naive.close(commutativeOp);
    for (size_t a = 0; a < ids.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        INFO("seed " << seed << ", terms " << a << " and " << b);
        REQUIRE(graph.same(ids[a], ids[b]) == (naive.find(a) == naive.find(b)));
      }
    }
  }
}

TEST_CASE("class lists keep every live node once, the oldest first", "[egraph]") {
  EGraph graph;
  std::vector<Id> atoms;
  atoms.reserve(6);
  for (uint32_t i = 0; i < 6; ++i) {
    atoms.push_back(addTerm(graph, 1, {}, i));
  }
  graph.unite(atoms[4], atoms[5], Reason::client());
  graph.unite(atoms[0], atoms[3], Reason::client());
  graph.unite(atoms[5], atoms[3], Reason::client());
  requireSound(graph);
  std::vector<NodeId> list;
  for (NodeId node : graph.nodesOf(atoms[4])) {
    list.push_back(node);
  }
  CHECK(list == std::vector<NodeId>{0, 3, 4, 5});
}

namespace {

/// A toy analysis: op 1 is the number in its payload, op 2 adds. Known sums become op 1 nodes.
class Numbers : public Analysis {
public:
  std::map<Id, uint32_t> value;

  Change join(Id cls, uint32_t known) {
    auto [entry, isNew] = value.try_emplace(cls, known);
    if (isNew) {
      return Change::Changed;
    }
    if (entry->second == known) {
      return Change::None;
    }
    text = fmt::format("{} and {} in one class", entry->second, known);
    return Change::Conflict;
  }
  Change make(const EGraph &graph, NodeId node) override {
    if (graph.op(node) == 1) {
      return join(graph.find(node), graph.payload(node));
    }
    if (graph.op(node) != 2) {
      return Change::None;
    }
    auto x = value.find(graph.find(graph.children(node)[0]));
    auto y = value.find(graph.find(graph.children(node)[1]));
    if (x == value.end() || y == value.end()) {
      return Change::None;
    }
    return join(graph.find(node), x->second + y->second);
  }
  Change merge(const EGraph &, Id into, Id from) override {
    auto known = value.find(from);
    return known == value.end() ? Change::None : join(into, known->second);
  }
  void modify(EGraph &graph, Id cls) override {
    if (auto known = value.find(graph.find(cls)); known != value.end()) {
      graph.unite(cls, graph.add(1, known->second, {}), Reason::client(1));
    }
  }
  std::string describeConflict() const override { return text; }

private:
  std::string text;
};

} // namespace

TEST_CASE("facts travel up and add nodes", "[egraph]") {
  Numbers numbers;
  EGraph graph(&numbers);
  Id two = addTerm(graph, 1, {}, 2);
  Id x = addTerm(graph, 5, {});
  Id sum = addTerm(graph, 2, {x, two});
  Id twice = addTerm(graph, 2, {sum, sum});
  requireSound(graph);
  CHECK(numbers.value.count(graph.find(twice)) == 0);
  graph.unite(x, addTerm(graph, 1, {}, 3), Reason::rule(0));
  requireSound(graph);
  CHECK(numbers.value.at(graph.find(twice)) == 10);
  CHECK(graph.same(twice, addTerm(graph, 1, {}, 10)));
}

TEST_CASE("two values in one class are an error that names the rules", "[egraph]") {
  struct Names : RuleNames {
    std::string ruleName(uint32_t rule) const override { return rule == 3 ? "bad-rule" : "other"; }
  } names;
  Numbers numbers;
  EGraph graph(&numbers);
  graph.setRuleNames(&names);
  Id x = addTerm(graph, 5, {});
  Id fx = addTerm(graph, 2, {x, addTerm(graph, 1, {}, 2)});
  requireSound(graph);
  graph.unite(x, addTerm(graph, 1, {}, 3), Reason::rule(3));
  graph.unite(fx, addTerm(graph, 1, {}, 4), Reason::rule(8));
  Status status = graph.rebuild();
  REQUIRE_FALSE(status.isOk());
  CHECK_THAT(status.message(), Catch::Contains("in one class"));
  CHECK_THAT(status.message(), Catch::Contains("other"));
  CHECK_FALSE(graph.rebuild().isOk()); // the conflict stays
}

TEST_CASE("nothing is recursive: chains of 100 000 nodes", "[egraph]") {
  for (uint32_t depth : {10'000u, 100'000u}) {
    EGraph graph;
    Id a = addTerm(graph, 1, {}, 0);
    Id b = addTerm(graph, 1, {}, 1);
    Id topA = a;
    Id topB = b;
    for (uint32_t i = 0; i < depth; ++i) {
      topA = addTerm(graph, 2, {topA, topA});
      topB = addTerm(graph, 2, {topB, topB});
    }
    CHECK_FALSE(graph.same(topA, topB));
    graph.unite(a, b, Reason::rule(1));
    requireSound(graph);
    CHECK(graph.same(topA, topB));
    CHECK(graph.numClasses() == depth + 1);
    CHECK(rulesBehind(graph, topA) == std::vector<uint32_t>{1});
  }
}

TEST_CASE("one class with many users that loses its id many times", "[egraph]") {
  EGraph graph;
  Id hub = addTerm(graph, 1, {}, 0);
  for (uint32_t i = 0; i < 20'000; ++i) {
    addTerm(graph, 2, {hub}, i);
  }
  for (uint32_t i = 1; i < 2'000; ++i) {
    graph.unite(addTerm(graph, 1, {}, i), hub, Reason::client());
    REQUIRE(graph.rebuild().isOk());
  }
  requireSound(graph);
  CHECK(graph.numClasses() == 20'001);
}

TEST_CASE("the same steps give the same graph", "[egraph]") {
  auto build = [] {
    std::mt19937 random(5);
    EGraph graph;
    NaiveClosure naive;
    std::vector<Id> ids;
    for (int step = 0; step < 300; ++step) {
      randomStep(graph, naive, ids, random);
    }
    REQUIRE(graph.rebuild().isOk());
    return toDot(graph, [&](NodeId node) { return fmt::format("op {}", graph.op(node)); });
  };
  CHECK(build() == build());
}

TEST_CASE("the DOT text shows classes, nodes and operands", "[egraph]") {
  EGraph graph;
  Id a = addTerm(graph, 1, {}, 0);
  Id b = addTerm(graph, 1, {}, 1);
  graph.unite(addTerm(graph, 2, {a}), b, Reason::client());
  REQUIRE(graph.rebuild().isOk());
  std::string text = toDot(
      graph, [&](NodeId node) { return graph.op(node) == 2 ? "a \"quoted\" label" : "atom"; },
      [](Id cls) { return "fact"; });
  CHECK_THAT(text, Catch::StartsWith("digraph egraph {"));
  CHECK_THAT(text, Catch::Contains("label=\"class 0\\nfact\""));
  CHECK_THAT(text, Catch::Contains("n2 [label=\"a \\\"quoted\\\" label\"]"));
  CHECK_THAT(text, Catch::Contains("n2 -> n0 [lhead=cluster_0, taillabel=0]"));
}
