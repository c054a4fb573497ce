#include "compiler/kernelize/CutForm.h"
#include "test/unit/fixtures/Layers.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using namespace zyxc::kernelize;

namespace {

CandidateTable tableOf(const std::vector<LayerSpec> &layers, const Caps &caps = {}) {
  KernelGraph g;
  buildLayers(g, layers);
  auto table = buildCandidates(g.graph, caps);
  REQUIRE(table);
  return *std::move(table);
}

void checkSameTables(const CandidateTable &a, const CandidateTable &b) {
  REQUIRE(a.programs.size() == b.programs.size());
  for (size_t i = 0; i < a.programs.size(); ++i) {
    CHECK(a.programs[i].program.identical(b.programs[i].program));
    CHECK(a.programs[i].cost == b.programs[i].cost);
  }
  REQUIRE(a.candidates.size() == b.candidates.size());
  for (size_t i = 0; i < a.candidates.size(); ++i) {
    CHECK(a.candidates[i].program == b.candidates[i].program);
    CHECK(a.candidates[i].inputs == b.candidates[i].inputs);
    CHECK(a.candidates[i].outputs == b.candidates[i].outputs);
    CHECK(a.candidates[i].nodes == b.candidates[i].nodes);
  }
}

/// Forms of ops of one graph, each over leaves of its own.
class OneOpForms {
public:
  CutForm of(OpKind kind, const TensorType &type, std::optional<double> literal = {}) {
    ClassId x = g.leaf("x", type);
    ClassId y = literal ? splat(*literal, type) : g.leaf("y", type);
    ClassId z = g.op(kind, {x, y});
    g.output("z", z);
    REQUIRE(g.graph.rebuild().isOk());
    CutTable cuts(g.graph, {});
    std::vector<Cut> single = cuts.singleNodeCuts(g.graph.find(z));
    REQUIRE(single.size() == 1);
    return forms.formOf(z, single[0]);
  }

private:
  ClassId splat(double value, const TensorType &type) {
    ClassId scalar = g.constant(Tensor::scalar(type.dtype, value));
    return g.expand(g.reshape(scalar, Shape(type.rank(), 1)), type.shape);
  }

  KernelGraph g;
  CutForms forms{g.graph};
};

} // namespace

TEST_CASE("a form holds ops, types and literals, and no leaves", "[kernelize]") {
  OneOpForms forms;
  TensorType type{DType::F32, {4, 5}};
  CutForm sub = forms.of(OpKind::Sub, type);
  CHECK(sub == forms.of(OpKind::Sub, type));
  CHECK_FALSE(sub == forms.of(OpKind::Div, type));
  CHECK_FALSE(sub == forms.of(OpKind::Sub, {DType::F32, {5, 4}}));
  CHECK_FALSE(sub == forms.of(OpKind::Sub, {DType::F64, {4, 5}}));
  CutForm half = forms.of(OpKind::Sub, type, 0.5);
  CHECK(half == forms.of(OpKind::Sub, type, 0.5));
  CHECK_FALSE(half == sub);
  CHECK_FALSE(half == forms.of(OpKind::Sub, type, 0.25));
  CHECK_FALSE(forms.of(OpKind::Sub, type, 0.0) == forms.of(OpKind::Sub, type, -0.0));
}

TEST_CASE("a form tells one leaf that is read twice from two leaves", "[kernelize]") {
  KernelGraph g;
  CutForms forms(g.graph);
  TensorType type{DType::F32, {3}};
  auto formOf = [&](bool twice) {
    ClassId x = g.leaf("x", type);
    ClassId z = g.op(OpKind::Mul, {x, twice ? x : g.leaf("y", type)});
    g.output("z", z);
    REQUIRE(g.graph.rebuild().isOk());
    CutTable cuts(g.graph, {});
    return forms.formOf(z, cuts.singleNodeCuts(g.graph.find(z))[0]);
  };
  CutForm twice = formOf(true);
  CHECK(twice == formOf(true));
  CHECK_FALSE(twice == formOf(false));
}

TEST_CASE("equal layers are made into programs once", "[kernelize]") {
  size_t few = tableOf(std::vector<LayerSpec>(8)).cutsBuilt;
  CandidateTable many = tableOf(std::vector<LayerSpec>(20));
  CHECK(many.cutsBuilt == few);
  CHECK(many.candidates.size() > 2 * many.cutsBuilt);
}

TEST_CASE("reuse changes nothing in the table", "[kernelize]") {
  std::vector<LayerSpec> layers(4);
  layers.push_back({.scale = 0.25});
  layers.push_back({.width = 40});
  layers.push_back({.activation = OpKind::Exp});
  layers.emplace_back();
  Caps without;
  without.reuse = false;
  CandidateTable reused = tableOf(layers);
  CandidateTable built = tableOf(layers, without);
  CHECK(reused.cutsBuilt < built.cutsBuilt);
  checkSameTables(reused, built);
}

TEST_CASE("layers that differ are not mixed", "[kernelize]") {
  size_t equal = tableOf(std::vector<LayerSpec>(6)).cutsBuilt;
  for (const LayerSpec &other :
       {LayerSpec{.scale = 0.25}, LayerSpec{.width = 40}, LayerSpec{.activation = OpKind::Exp}}) {
    std::vector<LayerSpec> layers(6);
    layers[3] = other;
    CHECK(tableOf(layers).cutsBuilt > equal);
    KernelGraph g;
    buildLayers(g, layers);
    checkPlan(g);
  }
}
