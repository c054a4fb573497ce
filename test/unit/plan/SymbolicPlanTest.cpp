// Plans of graphs with symbolic sizes: where buffers lie, on hand-made candidates, and whole plans.
#include "runtime/plan/BindPlan.h"
#include "runtime/plan/PackArena.h"
#include "test/unit/SymbolicGraphs.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::plan;
using graph::ClassId;
using kernelize::Candidate;

namespace {

/// A table in which each class is made in one way, and the choice of all of it.
struct Table {
  explicit Table(const graph::TensorGraph &graph) : graph(graph) {
    for (const graph::Endpoint &input : graph.inputs) {
      table.given.push_back(graph.find(input.cls));
    }
    std::sort(table.given.begin(), table.given.end());
  }

  void kernel(const std::vector<ClassId> &inputs, ClassId output, bool prepare = false) {
    kernelize::Program program;
    for (ClassId input : inputs) {
      program.ports.push_back({graph.type(input), false});
    }
    program.ports.push_back({graph.type(output), true});
    table.programs.push_back({program, 10, 0, 0});
    auto number = static_cast<uint32_t>(table.programs.size() - 1);
    add({Candidate::Kind::Kernel, number, inputs, {output}, 10, 0, prepare, {}});
  }
  void concat(const std::vector<ClassId> &inputs, ClassId output) {
    add({Candidate::Kind::ConcatInPlace, 0, inputs, {output}, 0, 0, false, {}});
  }
  void add(Candidate candidate) {
    choice.candidates.push_back(static_cast<uint32_t>(table.candidates.size()));
    table.candidates.push_back(std::move(candidate));
  }
  BuiltPlan build() const {
    auto built = buildPlan(graph, table, choice);
    INFO((built ? "" : built.error().message()));
    REQUIRE(built);
    return *std::move(built);
  }

  const graph::TensorGraph &graph;
  kernelize::CandidateTable table;
  Choice choice;
};

} // namespace

TEST_CASE("parts of a concatenation start at symbolic offsets of one buffer", "[plan]") {
  for (int64_t width : {3, 16}) {
    KernelGraph g;
    ClassId x = g.leaf("x", {DType::F32, {sizeOf("N"), width}});
    ClassId y = g.leaf("y", {DType::F32, {sizeOf("M"), width}});
    ClassId a = g.op(OpKind::Exp, {x});
    ClassId b = g.op(OpKind::Exp, {y});
    ClassId joined = g.concat({a, b}, 0);
    ClassId root = g.op(OpKind::Sqrt, {joined});
    g.output("z", root);
    g.finish();
    Table table(g.graph);
    table.kernel({x}, a);
    table.kernel({y}, b);
    table.concat({a, b}, joined);
    table.kernel({joined}, root);
    BuiltPlan built = table.build();
    CHECK(toString(built.plan.outputs[0].type) == fmt::format("f32[M + N,{}]", width));
    CHECK(built.plan.arenaBytes == 0);
    REQUIRE(built.plan.lifetimes.size() == 1);
    CHECK(built.plan.lifetimes[0].bytes == g.graph.type(joined).byteSize());
    CHECK(built.plan.lifetimes[0].first == 0);
    CHECK(built.plan.lifetimes[0].last == 2);
    const rt::BufferRef &second = built.plan.steps[1].ports[1];
    CHECK(second.offset == g.graph.type(a).byteSize());
    CHECK(second.bytes == g.graph.type(b).byteSize());
    CHECK(built.alignedPorts[0] == std::vector<uint32_t>{1});
    // Rows of 64 bytes end at a multiple of 64, however many there are.
    CHECK(built.alignedPorts[1].size() == (width == 16 ? 1u : 0u));
    auto bound = rt::bind(built.plan, {{"N", 5}, {"M", 100}});
    REQUIRE(bound);
    CHECK(bound->arenaBytes == rt::alignUp(105 * 4 * static_cast<uint64_t>(width)));
    CHECK(bound->steps[1].ports[1].offset == 5 * 4 * static_cast<uint64_t>(width));
  }
}

TEST_CASE("what is made of constants waits for its sizes", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {sizeOf("N"), 4}});
  ClassId w = g.weights({DType::F32, {1, 4}});
  ClassId fixed = g.op(OpKind::Exp, {w});
  ClassId repeated = g.expand(fixed, {sizeOf("N"), 4});
  ClassId root = g.op(OpKind::Add, {x, repeated});
  g.output("z", root);
  g.finish();
  Table table(g.graph);
  table.table.given.push_back(g.graph.find(w));
  std::sort(table.table.given.begin(), table.table.given.end());
  table.kernel({w}, fixed, true);
  table.kernel({fixed}, repeated, true);
  table.kernel({x, repeated}, root);
  BuiltPlan built = table.build();
  CHECK(built.plan.prepare.size() == 1);
  CHECK(built.plan.steps.size() == 2);
  CHECK(built.plan.preparedBytes == rt::bufferAlignment);
  CHECK(built.plan.lifetimes.size() == 1);
}

TEST_CASE("guards that always hold are left out of the plan", "[plan]") {
  KernelGraph g;
  ClassId x = g.leaf("x", {DType::F32, {sizeOf("N")}});
  ClassId root = g.op(OpKind::Exp, {x});
  g.output("z", root);
  g.finish();
  g.graph.guards = {{sizeOf("N"), "a", "narrow"}, {sizeOf("N - 2"), "b", "narrow"}};
  Table table(g.graph);
  table.kernel({x}, root);
  BuiltPlan built = table.build();
  REQUIRE(built.plan.guards.size() == 1);
  CHECK(built.plan.guards[0].origin == "b");
  CHECK(rt::bind(built.plan, {{"N", 1}}).error().message() ==
        "b: narrow needs N - 2 >= 0, which is not so at N = 1");
  g.graph.guards = {{sizeOf("-N - 1"), "c", "narrow"}};
  auto never = buildPlan(g.graph, table.table, table.choice);
  REQUIRE_FALSE(never);
  CHECK(never.error().code() == ErrorCode::Unsupported);
  CHECK(never.error().message() == "c: narrow needs -N - 1 >= 0, which is never so");
}

TEST_CASE("one plan is right at all sizes", "[plan]") {
  for (const SymbolicCase &one : symbolicCases()) {
    INFO(one.name);
    SymbolicGraph g;
    one.build(g);
    g.finish();
    CHECK(checkPlan(g, one.bindings()).built.plan.isSymbolic());
  }
}
