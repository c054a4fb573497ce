// zyx-decompose keeps values: each composite against its decomposition, both interpreted.
#include "compiler/interp/module/ModuleInterp.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Passes.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace zyxc;

static Tensor randomTensor(const TensorType &type, std::mt19937 &random) {
  std::uniform_real_distribution<double> value(0.25, 2.0); // positive: variances and powers too
  Tensor tensor = Tensor::allocate(type);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    tensor.setDouble(i, isFloat(type.dtype) ? value(random) : static_cast<double>(random() % 9));
  }
  return tensor;
}

/// Runs one op of a zyx function before and after decomposition; returns the largest relative
/// difference.
static double largestDifference(const std::string &arguments, const std::string &result,
                                const std::string &op, const std::string &picked) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<zyx::ZyxDialect, mlir::func::FuncDialect>();
  std::string text = "func.func @main(" + arguments + ") -> " + result + " {\n  %r = " + op +
                     "\n  return %r : " + result + "\n}";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  mlir::func::FuncOp function = *module->getOps<mlir::func::FuncOp>().begin();
  std::mt19937 random(11);
  std::vector<Tensor> inputs;
  for (mlir::Type type : function.getArgumentTypes()) {
    inputs.push_back(randomTensor(*zyx::toTensorType(type), random));
  }
  Tensor direct = (*interp::runModule(function, inputs))[0];

  DecomposePassOptions options;
  options.ops.push_back(picked);
  mlir::PassManager passes(&context);
  passes.addPass(createDecomposePass(options));
  REQUIRE(mlir::succeeded(passes.run(*module)));
  function.walk(
      [&](mlir::Operation *each) { REQUIRE(each->getName().getStringRef() != "zyx." + picked); });
  Tensor decomposed = (*interp::runModule(function, inputs))[0];

  REQUIRE(direct.type() == decomposed.type());
  double largest = 0;
  for (int64_t i = 0; i < direct.numElements(); ++i) {
    double scale = std::max(1e-3, std::abs(direct.asDouble(i)));
    double difference = std::abs(direct.asDouble(i) - decomposed.asDouble(i)) / scale;
    REQUIRE(!std::isnan(difference));
    largest = std::max(largest, difference);
  }
  return largest;
}

TEST_CASE("products and windows equal their decompositions", "[decompose]") {
  std::string x = "tensor<2x4x7x8xf32>";
  REQUIRE(largestDifference("%x: tensor<5x1x2x3xf32>, %y: tensor<7x3x4xf32>", "tensor<5x7x2x4xf32>",
                            "zyx.matmul %x, %y : tensor<5x1x2x3xf32>, tensor<7x3x4xf32> -> "
                            "tensor<5x7x2x4xf32>",
                            "matmul") < 1e-6);
  REQUIRE(largestDifference("%x: tensor<5xi32>, %y: tensor<5xi32>", "tensor<i32>",
                            "zyx.matmul %x, %y : tensor<5xi32>, tensor<5xi32> -> tensor<i32>",
                            "matmul") == 0);
  REQUIRE(largestDifference("%x: " + x + ", %w: tensor<6x2x3x2xf32>", "tensor<2x6x4x8xf32>",
                            "zyx.conv %x, %w strides [2, 1] low [1, 0] high [1, 2] "
                            "dilations [1, 2] groups 2 : " +
                                x + ", tensor<6x2x3x2xf32> -> tensor<2x6x4x8xf32>",
                            "conv") < 1e-6);
  REQUIRE(largestDifference("%x: " + x, "tensor<2x4x4x4xf32>",
                            "zyx.max_pool %x sizes [3, 2] strides [2, 2] low [1, 0] high [1, 0] "
                            "dilations [1, 1] : " +
                                x + " -> tensor<2x4x4x4xf32>",
                            "max_pool") == 0);
  REQUIRE(largestDifference("%x: " + x, "tensor<2x4x4x4xf32>",
                            "zyx.avg_pool %x sizes [3, 2] strides [2, 2] low [1, 0] high [1, 0] "
                            "dilations [1, 1] count [0, 0] [0, 0] : " +
                                x + " -> tensor<2x4x4x4xf32>",
                            "avg_pool") < 1e-6);
  REQUIRE(largestDifference("%x: " + x, x,
                            "zyx.lrn %x size 3 alpha 0.5 beta 0.75 bias 1.0 : " + x + " -> " + x,
                            "lrn") < 1e-6);
  REQUIRE(largestDifference("%x: tensor<3x2x5xf32>, %y: tensor<3x5x4xf32>", "tensor<4x2xf32>",
                            "zyx.contract %x [0, 1, 3], %y [0, 3, 2] -> [2, 1] in f32 to f32 : "
                            "tensor<3x2x5xf32>, tensor<3x5x4xf32> -> tensor<4x2xf32>",
                            "contract") < 1e-6);
}

TEST_CASE("normalizations and stack equal their decompositions", "[decompose]") {
  std::string x = "tensor<2x3x4xf32>";
  std::string c = "tensor<3xf32>";
  REQUIRE(largestDifference("%x: " + x + ", %a: " + c + ", %b: " + c + ", %m: " + c + ", %v: " + c,
                            x,
                            "zyx.batch_norm %x, %a, %b, %m, %v epsilon 1.0e-05 : " + x + ", " + c +
                                ", " + c + ", " + c + ", " + c + " -> " + x,
                            "batch_norm") < 1e-5);
  for (std::string op : {"softmax", "log_softmax"}) {
    for (std::string axes : {"[1]", "[0, 2]", "[]"}) {
      INFO(op << axes);
      REQUIRE(largestDifference("%x: " + x, x,
                                "zyx." + op + " %x over " + axes + " : " + x + " -> " + x,
                                op) < 1e-5);
    }
  }
  REQUIRE(largestDifference("%x: " + x + ", %y: " + x, "tensor<2x3x2x4xf32>",
                            "zyx.stack %x, %y axis 2 : " + x + ", " + x + " -> tensor<2x3x2x4xf32>",
                            "stack") == 0);
}
