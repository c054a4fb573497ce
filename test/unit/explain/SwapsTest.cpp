// Explanations: swaps of one candidate for another are what they say, and nodes find their kernels.
#include "compiler/plan/explain/Swaps.h"
#include "compiler/plan/choose/TableProblem.h"
#include "compiler/plan/explain/Explain.h"
#include "test/unit/KernelGraph.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace zyxc;
using explain::Swap;
using graph::ClassId;
using kernelize::Candidate;

namespace {

/// A dense block with a residual: concatenations in place, norms in prologues and epilogues.
void addDenseBlock(KernelGraph &g) {
  ClassId features = g.leaf("x", {DType::F32, {1, 16, 12, 12}});
  features = g.relu(g.batchNorm(g.conv(features, 16, 3)));
  for (int layer = 0; layer < 3; ++layer) {
    ClassId bottleneck = g.conv(g.relu(g.batchNorm(features)), 16, 1);
    ClassId growth = g.conv(g.relu(g.batchNorm(bottleneck)), 8, 3);
    features = g.concat({features, growth}, 1);
  }
  ClassId last = g.conv(g.relu(g.batchNorm(features)), 8, 1);
  g.output("y", g.op(OpKind::Add, {last, g.relu(last)}));
}

/// A value that two outputs need, and views of it.
void addSharedViews(KernelGraph &g) {
  ClassId x = g.leaf("x", {DType::F32, {1, 8, 6, 6}});
  ClassId inner = g.relu(g.conv(x, 8, 3));
  ClassId flat = g.reshape(inner, {8, 36});
  g.output("a", g.op(OpKind::Exp, {flat}));
  g.output("b", g.op(OpKind::Add, {g.batchNorm(inner), x}));
  g.output("c", g.reshape(inner, {288}));
}

/// An operand of two concatenations, which can lie in one of them only.
void addTwoPlaces(KernelGraph &g) {
  ClassId a = g.op(OpKind::Exp, {g.leaf("x", {DType::F32, {1, 64, 512}})});
  ClassId b = g.op(OpKind::Exp, {g.leaf("y", {DType::F32, {1, 64, 512}})});
  ClassId c = g.op(OpKind::Sqrt, {g.op(OpKind::Exp, {b})});
  g.output("ab", g.concat({a, b}, 1));
  g.output("bc", g.concat({b, c}, 1));
}

/// Candidates so that each comes after what makes its inputs; nothing if there is no such order.
std::optional<std::vector<uint32_t>> inOrder(const kernelize::CandidateTable &table,
                                             std::set<uint32_t> candidates) {
  std::set<ClassId> present(table.given.begin(), table.given.end());
  std::vector<uint32_t> order;
  while (!candidates.empty()) {
    auto next = std::find_if(candidates.begin(), candidates.end(), [&](uint32_t k) {
      const std::vector<ClassId> &inputs = table.candidates[k].inputs;
      return std::all_of(inputs.begin(), inputs.end(),
                         [&](ClassId cls) { return present.contains(cls); });
    });
    if (next == candidates.end()) {
      return std::nullopt;
    }
    const std::vector<ClassId> &outputs = table.candidates[*next].outputs;
    present.insert(outputs.begin(), outputs.end());
    order.push_back(*next);
    candidates.erase(next);
  }
  return order;
}

struct SwapCounts {
  int possible = 0;
  int place = 0;
  int cycle = 0;
  int dearer = 0;
  int withMore = 0;  ///< something else had to be added
  int withFewer = 0; ///< something else could go
};

/// Compares one swap with the checker of choices.
void checkSwap(const extract::Problem &problem, const Planned &planned, uint32_t chosen,
               uint32_t other, const Swap &swap, SwapCounts &counts) {
  std::set<uint32_t> candidates(planned.choice.candidates.begin(), planned.choice.candidates.end());
  for (uint32_t k : swap.removed) {
    REQUIRE(candidates.erase(k) == 1);
  }
  for (uint32_t k : swap.added) {
    REQUIRE(candidates.insert(k).second);
  }
  REQUIRE(candidates.contains(other));
  auto order = inOrder(planned.table, candidates);
  if (swap.outcome == Swap::Outcome::Cycle) {
    CHECK_FALSE(order);
    ++counts.cycle;
    return;
  }
  if (!order) { // what would have two places may need itself, too
    CHECK(swap.outcome == Swap::Outcome::Place);
  }
  extract::Solution solution;
  solution.chosen = order.value_or(std::vector<uint32_t>());
  solution.cost = planned.choice.cost + swap.difference;
  solution.lowerBound = 0;
  Status status = extract::check(problem, solution);
  if (swap.outcome == Swap::Outcome::Place) {
    CHECK_FALSE(status.isOk());
    ++counts.place;
    return;
  }
  INFO(status.message());
  CHECK(status.isOk());
  // Nothing is carried along: without any candidate but the new one's rivals it is not closed.
  for (uint32_t k : *order) {
    extract::Solution less = solution;
    std::erase(less.chosen, k);
    less.cost -= planned.table.candidates[k].cost;
    bool isRival = k == chosen || k == other;
    CHECK((isRival || !extract::check(problem, less).isOk()));
  }
  CHECK(swap.difference >= 0); // the choice is proved
  ++counts.possible;
  counts.dearer += swap.difference > 0;
  counts.withMore += swap.added.size() > 1;
  counts.withFewer += swap.removed.size() > 1;
}

void checkSwaps(KernelGraph &g, SwapCounts &counts) {
  g.finish();
  Planned planned = makePlan(g.graph);
  REQUIRE(planned.choice.proved);
  extract::Problem problem = plan::problemOf(g.graph, planned.table);
  explain::Swaps swaps(g.graph, planned.table, planned.choice);
  std::set<uint32_t> chosen(planned.choice.candidates.begin(), planned.choice.candidates.end());
  for (uint32_t k : chosen) {
    for (uint32_t other = 0; other < planned.table.candidates.size(); ++other) {
      const std::vector<ClassId> &outputs = planned.table.candidates[other].outputs;
      bool isRival = std::any_of(outputs.begin(), outputs.end(),
                                 [&](ClassId cls) { return swaps.makerOf(cls) == k; });
      if (isRival && !chosen.contains(other)) {
        INFO("candidate " << other << " for " << k);
        checkSwap(problem, planned, k, other, swaps.swap(k, other), counts);
      }
    }
  }
}

} // namespace

TEST_CASE("a swap gives a choice of the cost that it says", "[explain]") {
  SwapCounts counts;
  KernelGraph dense;
  addDenseBlock(dense);
  checkSwaps(dense, counts);
  KernelGraph shared;
  addSharedViews(shared);
  checkSwaps(shared, counts);
  KernelGraph places;
  addTwoPlaces(places);
  checkSwaps(places, counts);
  // Every outcome occurs.
  CHECK(counts.possible > 50);
  CHECK(counts.dearer > 50);
  CHECK(counts.withMore > 5);
  CHECK(counts.withFewer > 5);
  CHECK(counts.place > 0);
}

TEST_CASE("circles, two places, and results of several readers", "[explain]") {
  graph::TensorGraph graph;
  Attrs attrs{
      {"name", std::string("x")}, {"dtype", DType::F32}, {"shape", Shape{4}}, {"id", int64_t(0)}};
  ClassId x = graph.add(OpKind::Leaf, {}, attrs);
  ClassId a = graph.add(OpKind::Exp, std::array{x});
  ClassId b = graph.add(OpKind::Sqrt, std::array{a});
  graph.inputs.push_back({"x", x});
  graph.outputs.push_back({"y", b});
  REQUIRE(graph.rebuild().isOk());
  kernelize::CandidateTable table;
  table.given = {x};
  table.classes = {x, a, b};
  auto add = [&](std::vector<ClassId> inputs, std::vector<ClassId> outputs, int64_t cost) {
    Candidate candidate;
    candidate.inputs = std::move(inputs);
    candidate.outputs = std::move(outputs);
    candidate.cost = cost;
    table.candidates.push_back(std::move(candidate));
  };
  add({x}, {a}, 5);
  add({a}, {b}, 5);
  add({b}, {a}, 1); // needs b, which needs a
  add({x}, {b}, 20);
  add({x}, {a, b}, 12);
  add({x}, {b}, 30); // excludes the maker of a, which is needed no more
  add({a}, {b}, 1);  // excludes it, and reads what it makes
  table.conflicts = {{0, 5}, {0, 6}};
  plan::Choice choice;
  choice.candidates = {0, 1};
  choice.cost = 10;
  explain::Swaps swaps(graph, table, choice);
  CHECK(swaps.swap(0, 2).outcome == Swap::Outcome::Cycle);
  Swap fused = swaps.swap(1, 3);
  CHECK(fused.outcome == Swap::Outcome::Possible);
  CHECK(fused.removed == std::vector<uint32_t>{1, 0});
  CHECK(fused.difference == 10);
  Swap both = swaps.swap(0, 4); // makes what the reader of its rival's result makes
  CHECK(both.outcome == Swap::Outcome::Possible);
  CHECK(std::set<uint32_t>(both.removed.begin(), both.removed.end()) == std::set<uint32_t>{0, 1});
  CHECK(both.difference == 2);
  CHECK(swaps.swap(1, 5).outcome == Swap::Outcome::Possible);
  CHECK(swaps.swap(1, 6).outcome == Swap::Outcome::Place);
}

TEST_CASE("nodes of the model are in the kernels that compute them, or what they became",
          "[explain]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {2, 8}});
  ClassId a = g.op(OpKind::Exp, {x});
  ClassId b = g.op(OpKind::ReduceSum, {a}, {{"axes", std::vector<int64_t>{1}}});
  ClassId c = g.op(OpKind::Sqrt, {b});
  ClassId unused = g.op(OpKind::Neg, {x});
  ClassId constant = g.constant(Tensor::zeros({DType::F32, {4}}));
  g.output("y", c);
  g.finish();
  g.graph.sources = {{"exp", "exp", {~0}, {a}},         {"sum", "reduce_sum", {0}, {b}},
                     {"root", "sqrt", {1}, {c}},        {"unused", "neg", {~0}, {unused}},
                     {"folded", "exp", {}, {constant}}, {"view", "reshape", {~0}, {x}}};
  Planned planned = makePlan(g.graph);
  explain::PartSteps steps{g.graph, planned.table, planned.choice, planned.built};
  explain::Part part = explain::explainPart(steps);
  REQUIRE(part.kernels.size() == planned.choice.candidates.size());
  REQUIRE(part.nodes.size() == 6);
  using State = explain::ModelNode::State;
  for (size_t i = 0; i < 3; ++i) {
    CHECK(part.nodes[i].state == State::InKernels);
    REQUIRE(!part.nodes[i].kernels.empty());
    CHECK(part.nodes[i].kernels[0].role == explain::Role::Computed);
  }
  CHECK(part.nodes[1].operands == std::vector<int>{0});
  CHECK(part.nodes[0].inputs == std::vector<std::string>{"x"});
  CHECK(part.nodes[3].state == State::Unused);
  CHECK(part.nodes[4].state == State::Constant);
  CHECK(part.nodes[5].state == State::Input);
  CHECK(part.outputs[0].node == 2);
  CHECK(part.outputs[0].kernel == part.kernels.back().id);
  // Both ways are told.
  for (const explain::ModelNode &node : part.nodes) {
    for (const explain::Membership &member : node.kernels) {
      const auto &back = part.kernels[static_cast<size_t>(member.id)].nodes;
      CHECK(std::any_of(back.begin(), back.end(), [&](const explain::Membership &other) {
        return other.id == node.id && other.role == member.role;
      }));
    }
  }
  explain::Explanation whole{{part}, {}};
  CHECK(explain::restrictedTo(whole, "no such node").parts.empty());
  explain::Explanation sum = explain::restrictedTo(whole, "sum");
  REQUIRE(sum.parts.size() == 1);
  CHECK(sum.parts[0].nodes[0].name == "sum");
  CHECK(sum.parts[0].kernels.size() == part.nodes[1].kernels.size());
}
