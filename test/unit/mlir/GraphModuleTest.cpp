// From functions of zyx ops to the e-graph and back: the values stay.
#include "compiler/graph/module/FromModule.h"
#include "compiler/graph/module/ToModule.h"
#include "compiler/interp/module/ModuleInterp.h"
#include "compiler/rules/BuiltinRules.h"
#include "compiler/rules/Runner.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace zyxc;

namespace {

struct Program {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit Program(llvm::StringRef text) {
    context.loadDialect<zyx::ZyxDialect, mlir::func::FuncDialect>();
    context.allowUnregisteredDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
  }
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }
};

Tensor numbers(const TensorType &type, int seed) {
  Tensor tensor = Tensor::allocate(type);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, std::sin(static_cast<double>(i * 7 + seed)));
  }
  return tensor;
}

std::vector<Tensor> run(mlir::func::FuncOp function, std::span<const Tensor> inputs) {
  Expected<std::vector<Tensor>> results = interp::runModule(function, inputs);
  INFO((results ? "" : results.error().message()));
  REQUIRE(results);
  return *std::move(results);
}

graph::TensorGraph import(mlir::func::FuncOp function) {
  Expected<graph::TensorGraph> graph = graph::importFunction(function);
  INFO((graph ? "" : graph.error().message()));
  REQUIRE(graph);
  return *std::move(graph);
}

/// The function exported from a graph, run on the inputs.
std::vector<Tensor> runExported(mlir::MLIRContext &context, const graph::TensorGraph &graph,
                                std::span<const Tensor> inputs) {
  auto exported = graph::exportModule(&context, graph, graph::smallestChoice(graph));
  INFO((exported ? "" : exported.error().message()));
  REQUIRE(exported);
  REQUIRE(mlir::succeeded(mlir::verify(**exported)));
  return run(*(*exported)->getOps<mlir::func::FuncOp>().begin(), inputs);
}

constexpr const char *network = R"(
func.func @main(%x: tensor<1x4x6x6xf32> {zyx.name = "image"})
    -> (tensor<1x4x6x6xf32> {zyx.name = "sum"}, tensor<1x4xf32>) {
  %w = zyx.constant dense<0.125> : tensor<4x2x3x3xf32>
  %s = zyx.constant dense<[0.5, 1.5, -2.0, 1.0]> : tensor<4xf32>
  %v = zyx.constant dense<[1.0, 2.0, 0.5, 4.0]> : tensor<4xf32>
  %y = zyx.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] dilations [1, 1] groups 2
    : tensor<1x4x6x6xf32>, tensor<4x2x3x3xf32> -> tensor<1x4x6x6xf32> loc("conv_1")
  %b = zyx.batch_norm %y, %s, %s, %s, %v epsilon 1.0e-5
    : tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    -> tensor<1x4x6x6xf32> loc("bn_1")
  %z = zyx.add %b, %x : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32> loc("add_1")
  %p = zyx.reduce_max %z over [2, 3] : tensor<1x4x6x6xf32> -> tensor<1x4xf32>
  %q = zyx.softmax %p over [1] : tensor<1x4xf32> -> tensor<1x4xf32> loc("prob")
  return %z, %q : tensor<1x4x6x6xf32>, tensor<1x4xf32>
})";

} // namespace

TEST_CASE("import and export keep the values", "[graph-module]") {
  Program program(network);
  std::vector<Tensor> inputs = {numbers({DType::F32, {1, 4, 6, 6}}, 1)};
  std::vector<Tensor> wanted = run(program.function(), inputs);
  graph::TensorGraph graph = import(program.function());
  REQUIRE(graph.engine().verify().isOk());
  std::vector<Tensor> got = runExported(program.context, graph, inputs);
  REQUIRE(got.size() == 2);
  CHECK(got[0].identical(wanted[0]));
  CHECK(got[1].identical(wanted[1]));
}

TEST_CASE("saturation keeps the values within rounding", "[graph-module]") {
  Program program(network);
  std::vector<Tensor> inputs = {numbers({DType::F32, {1, 4, 6, 6}}, 2)};
  std::vector<Tensor> wanted = run(program.function(), inputs);
  graph::TensorGraph graph = import(program.function());
  Expected<std::vector<rules::Rule>> rules = rules::builtinRules();
  REQUIRE(rules);
  rules::RunReport report = rules::runRules(graph, *rules, {});
  REQUIRE(report.conflict.isOk());
  std::vector<Tensor> got = runExported(program.context, graph, inputs);
  for (size_t output = 0; output < 2; ++output) {
    for (int64_t i = 0; i < wanted[output].numElements(); ++i) {
      REQUIRE(got[output].asDouble(i) ==
              Approx(wanted[output].asDouble(i)).epsilon(1e-5).margin(1e-5));
    }
  }
}

TEST_CASE("names and locations survive", "[graph-module]") {
  Program program(network);
  graph::TensorGraph graph = import(program.function());
  REQUIRE(graph.inputs.size() == 1);
  CHECK(graph.inputs[0].name == "image");
  CHECK(graph.outputs[0].name == "sum");
  CHECK(graph.outputs[1].name == "out1");
  CHECK(graph.origin(graph.nodes(graph.outputs[1].cls)[0]) == "prob");
  auto exported =
      graph::exportModule(&program.context, graph, graph::smallestChoice(graph), "copy");
  REQUIRE(exported);
  mlir::func::FuncOp function = *(*exported)->getOps<mlir::func::FuncOp>().begin();
  CHECK(function.getName() == "copy");
  CHECK(function.getArgAttrOfType<mlir::StringAttr>(0, "zyx.name").getValue() == "image");
  CHECK(function.getResultAttrOfType<mlir::StringAttr>(1, "zyx.name").getValue() == "out1");
  bool hasSoftmax = false;
  function.walk([&](mlir::Operation *op) {
    if (zyx::kindOf(op) == OpKind::Softmax) {
      hasSoftmax = zyx::locationName(op->getLoc()) == "prob";
    }
  });
  CHECK(hasSoftmax);
}

TEST_CASE("an argument that is a result, twice, and unused arguments", "[graph-module]") {
  Program program(R"(
func.func @main(%x: tensor<2xf32>, %unused: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
})");
  std::vector<Tensor> inputs = {numbers({DType::F32, {2}}, 1), numbers({DType::F32, {2}}, 2)};
  std::vector<Tensor> got = runExported(program.context, import(program.function()), inputs);
  CHECK(got[0].identical(inputs[0]));
  CHECK(got[1].identical(inputs[0]));
}

TEST_CASE("what the e-graph cannot hold is refused with its name", "[graph-module]") {
  Program foreign(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "other.op"(%x) : (tensor<2xf32>) -> tensor<2xf32> loc("node_3")
  return %y : tensor<2xf32>
})");
  Expected<graph::TensorGraph> graph = graph::importFunction(foreign.function());
  REQUIRE_FALSE(graph);
  CHECK(graph.error().code() == ErrorCode::Unsupported);
  CHECK(graph.error().message() == "node_3: the e-graph cannot hold 'other.op'");

  Program dynamic("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                  "  return %x : tensor<?xf32>\n}");
  CHECK_FALSE(graph::importFunction(dynamic.function()));
  Program external("func.func private @main(tensor<2xf32>) -> tensor<2xf32>");
  CHECK_FALSE(graph::importFunction(external.function()));
}
