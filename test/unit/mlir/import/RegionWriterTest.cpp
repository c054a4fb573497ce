// Ops with regions as importers write them.
#include "compiler/import/node/GraphWriter.h"
#include "dialects/zyx/IR/MlirGraphBuilder.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include <catch2/catch.hpp>

using namespace zyxc;
using importer::GraphWriter;
using importer::WrittenRegion;

using Values = std::vector<GraphValue>;

namespace {

/// A function of x (f32[4]) and c (bool) that is being written.
struct Written {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::OpBuilder builder{&context};
  mlir::func::FuncOp function;
  std::optional<zyx::MlirGraphBuilder> graph;
  std::optional<GraphWriter> g;
  GraphValue x, c;
  const TensorType type{DType::F32, {4}};

  Written() {
    context.loadDialect<zyx::ZyxDialect, mlir::func::FuncDialect>();
    mlir::Location location = builder.getUnknownLoc();
    module = mlir::ModuleOp::create(location);
    builder.setInsertionPointToEnd(module->getBody());
    llvm::SmallVector<mlir::Type> types{zyx::toMlirType(&context, type),
                                        zyx::toMlirType(&context, {DType::Bool, {}})};
    function =
        mlir::func::FuncOp::create(builder, location, "main", builder.getFunctionType(types, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    graph.emplace(builder, location);
    g.emplace(*graph);
    x = graph->wrap(function.getArgument(0));
    c = graph->wrap(function.getArgument(1));
    g->addInput(x, "x");
    g->addInput(c, "c");
  }

  /// The names of the ops of the function's block, once it is ended; regions must be valid, too.
  std::vector<std::string> finish() {
    mlir::func::ReturnOp::create(builder, builder.getUnknownLoc());
    REQUIRE(mlir::succeeded(mlir::verify(*module)));
    std::vector<std::string> names;
    for (mlir::Operation &op : function.getBody().front().without_terminator()) {
      names.push_back(op.getName().getStringRef().str());
    }
    return names;
  }
};

} // namespace

using Names = std::vector<std::string>;

TEST_CASE("constants that a region makes are visible after it", "[onnx]") {
  Written w;
  GraphValue three;
  auto negated = [&](std::span<const GraphValue>) -> Expected<Values> {
    three = w.g->splat(DType::F32, {}, 3);
    return Values{w.g->mul(w.x, w.g->broadcast(three, {4}))};
  };
  auto same = [&](std::span<const GraphValue>) -> Expected<Values> {
    return Values{w.x};
  };
  auto taken = w.g->region({}, "", negated);
  auto other = w.g->region({}, "", same);
  REQUIRE((taken && other));
  CHECK(taken->numOps == 3); // reshape, expand, mul
  CHECK(taken->isElementwise);
  CHECK(other->numOps == 0);
  Values results = w.g->branch(w.c, *taken, *other);
  REQUIRE(results.size() == 1);
  CHECK(w.g->typeOf(results[0]) == w.type);
  w.g->mul(three, three);
  CHECK(w.finish() == Names{"zyx.constant", "zyx.if", "zyx.mul"});
}

TEST_CASE("a region that fails leaves nothing, and others can follow", "[onnx]") {
  Written w;
  auto wrong = [&](std::span<const GraphValue>) -> Expected<Values> {
    GraphValue e = w.g->op(OpKind::Exp, {w.x});
    return Values{w.g->reshape(e, {5})}; // the writer keeps the error
  };
  auto failed = w.g->region({}, "", wrong);
  REQUIRE_FALSE(static_cast<bool>(failed));
  CHECK(w.g->takeStatus().isOk());
  auto nested = [&](std::span<const GraphValue>) -> Expected<Values> {
    auto inner = w.g->region({}, "", wrong);
    CHECK_FALSE(static_cast<bool>(inner));
    return Values{w.g->op(OpKind::Neg, {w.x})};
  };
  auto good = w.g->region({}, "", nested);
  REQUIRE(static_cast<bool>(good));
  CHECK(w.g->splice(*good).size() == 1);
  CHECK(w.finish() == Names{"zyx.neg"});
}

TEST_CASE("a loop keeps the types of what it carries", "[onnx]") {
  Written w;
  GraphValue always = w.g->constant(Tensor::scalarInt(DType::Bool, 1));
  TensorType types[] = {{DType::I64, {}}, w.type};
  auto body = [&](std::span<const GraphValue> values) -> Expected<Values> {
    CHECK(w.g->evaluate(values[0]).error().message().find("what is carried") != std::string::npos);
    return Values{always, w.g->op(OpKind::Exp, {values[1]}), values[0]};
  };
  auto growing = [&](std::span<const GraphValue> values) -> Expected<Values> {
    return Values{always, w.g->concat(std::vector{values[1], values[1]}, 0)};
  };
  auto good = w.g->region(types, "what is carried", body);
  auto wrong = w.g->region(types, "what is carried", growing);
  REQUIRE((good && wrong));
  CHECK(good->isElementwise);
  CHECK_FALSE(wrong->isElementwise);
  auto refused = w.g->loop(7, always, std::vector{w.x}, *wrong);
  REQUIRE_FALSE(static_cast<bool>(refused));
  CHECK(refused.error().message() ==
        "its carried value 0 is f32[4] before an iteration and f32[8] after it: a loop must keep "
        "the types of what it carries");
  auto results = w.g->loop(7, always, std::vector{w.x}, *good);
  REQUIRE(static_cast<bool>(results));
  CHECK(w.g->typeOf((*results)[0]) == w.type);
  CHECK(w.g->typeOf((*results)[1]) == TensorType{DType::I64, {7}});
  CHECK(w.finish() == Names{"zyx.constant", "zyx.loop"});
}
