// Many forms looked up at a time say what one lookup each says, also while the graph changes.
#include "compiler/egraph/EGraph.h"
#include <catch2/catch.hpp>
#include <random>

using namespace zyxc;
using namespace zyxc::egraph;

namespace {

constexpr uint32_t commutativeOp = 7;

uint32_t arityOf(uint32_t op) {
  return op == commutativeOp ? 2 : op; // op 4 is too wide for Forms
}

std::vector<Id> randomOperands(const EGraph &graph, uint32_t op, std::mt19937 &random) {
  std::vector<Id> operands(arityOf(op));
  for (Id &operand : operands) {
    operand = random() % graph.numNodes();
  }
  return operands;
}

/// A block of forms of one op, of which some are in the graph.
struct Block {
  Forms forms;
  std::vector<std::vector<Id>> operands;

  Block(const EGraph &graph, uint32_t op, std::mt19937 &random) {
    forms.op = op;
    forms.payload = random() % 2;
    forms.arity = arityOf(op);
    for (uint32_t place = 0; place < Forms::most; ++place) {
      operands.push_back(randomOperands(graph, op, random));
      for (size_t i = 0; i < std::min<size_t>(forms.arity, Forms::mostArity); ++i) {
        forms.operands[i][place] = operands[place][i];
      }
    }
    graph.prepare(forms, Forms::most);
  }
};

EGraph randomGraph(std::mt19937 &random, bool trackAges) {
  EGraph graph(nullptr, {.trackAges = trackAges});
  graph.setCommutative(commutativeOp);
  for (uint32_t payload = 0; payload < 6; ++payload) {
    graph.add(0, payload, {});
  }
  constexpr uint32_t ops[] = {1, 2, 2, 2, 3, 4, commutativeOp, commutativeOp};
  for (int step = 0; step < 150; ++step) {
    uint32_t op = ops[random() % std::size(ops)];
    graph.add(op, random() % 2, randomOperands(graph, op, random));
    if (step % 8 == 0) {
      graph.unite(random() % graph.numNodes(), random() % graph.numNodes(), Reason::client());
      REQUIRE(graph.rebuild().isOk());
    }
  }
  REQUIRE(graph.rebuild().isOk());
  return graph;
}

} // namespace

TEST_CASE("a block of forms is looked up as each of them is", "[egraph]") {
  size_t known = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    EGraph graph = randomGraph(random, seed % 2 == 0);
    for (uint32_t op : {0u, 1u, 2u, 3u, 4u, commutativeOp}) {
      Block block(graph, op, random);
      for (size_t place = 0; place < Forms::most; ++place) {
        std::optional<NodeId> node = graph.lookup(op, block.forms.payload, block.operands[place]);
        Id expected = node && op != 4 ? graph.find(*node) : none;
        REQUIRE(graph.classOf(block.forms, place) == expected);
        known += expected != none;
      }
    }
  }
  CHECK(known > 1'000);
}

TEST_CASE("what a block of forms said holds while classes are united", "[egraph]") {
  size_t known = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    EGraph graph = randomGraph(random, seed % 2 == 0);
    for (uint32_t op : {1u, 2u, 3u, commutativeOp}) {
      Block block(graph, op, random);
      std::vector<Id> said(Forms::most);
      for (size_t place = 0; place < Forms::most; ++place) {
        said[place] = graph.classOf(block.forms, place);
        REQUIRE((said[place] == none || graph.find(said[place]) == said[place]));
        if (place % 4 == 0) {
          graph.unite(random() % graph.numNodes(), random() % graph.numNodes(), Reason::client());
          graph.add(op, 2 + place, block.operands[place]);
        }
      }
      REQUIRE(graph.rebuild().isOk());
      for (size_t place = 0; place < Forms::most; ++place) {
        if (said[place] != none) {
          std::optional<NodeId> node = graph.lookup(op, block.forms.payload, block.operands[place]);
          REQUIRE(node);
          REQUIRE(graph.same(*node, said[place]));
          ++known;
        }
      }
    }
    Status verified = graph.verify();
    INFO(verified.message());
    REQUIRE(verified.isOk());
  }
  CHECK(known > 400);
}

TEST_CASE("the rows of a time are those that were made or changed at it", "[egraph]") {
  EGraph graph(nullptr, {.trackAges = true, .rowsPerTime = 1'000});
  auto rows = [&](uint32_t time) {
    std::span<const NodeId> found = graph.rowsAt(time);
    return std::vector<NodeId>(found.begin(), found.end());
  };
  Id a = graph.add(0, 0, {});
  Id b = graph.add(0, 1, {});
  Id fb = graph.add(1, 0, std::span(&b, 1));
  CHECK(rows(0) == std::vector<NodeId>{a, b, fb});
  graph.tick();
  CHECK(rows(1).empty());
  graph.unite(a, fb, Reason::client()); // one of them changes its class, and is a row of it anew
  REQUIRE(graph.rebuild().isOk());
  NodeId moved = graph.find(a) == a ? fb : a;
  CHECK(rows(1) == std::vector<NodeId>{moved});
  CHECK(graph.age(moved) == 1);
  CHECK(graph.age(b) == 0);
  CHECK(rows(0) == std::vector<NodeId>{a, b, fb}); // at that time it was made
  graph.tick();
  graph.unite(a, b, Reason::client()); // f(b) is f of another class
  REQUIRE(graph.rebuild().isOk());
  CHECK(std::ranges::count(rows(2), fb) == 1);
  Status verified = graph.verify();
  INFO(verified.message());
  CHECK(verified.isOk());
}
