// A kernel read from text and run by the interpreter, its ports as lists of numbers.
#pragma once
#include "compiler/interp/kernel/KernelInterpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

namespace zyxc::test {

using Values = std::vector<double>;

/// A parsed kernel, and its ports.
struct InterpretedKernel {
  explicit InterpretedKernel(const std::string &text, std::vector<int64_t> dims = {}) {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect, zyxk::ZyxkDialect>();
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    REQUIRE(module);
    auto created = KernelInterpreter::create(*module->getOps<zyxk::KernelOp>().begin(), dims);
    if (!created) {
      error = created.error().message();
      return;
    }
    interpreter.emplace(std::move(*created));
    for (const KernelPort &port : interpreter->ports()) {
      tensors.push_back(Tensor::zeros(port.type));
    }
  }

  void set(size_t port, const std::vector<double> &values) {
    REQUIRE(tensors[port].numElements() == static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      tensors[port].setDouble(static_cast<int64_t>(i), values[i]);
    }
  }
  std::vector<double> get(size_t port) const {
    std::vector<double> values;
    for (int64_t i = 0; i < tensors[port].numElements(); ++i) {
      values.push_back(tensors[port].asDouble(i));
    }
    return values;
  }
  /// The error's text, or "".
  std::string run() {
    REQUIRE(interpreter.has_value());
    return interpreter->run(tensors).message();
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<KernelInterpreter> interpreter;
  std::vector<Tensor> tensors;
  std::string error;
};

} // namespace zyxc::test
