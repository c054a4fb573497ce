// A module read from text for the interpreter of modules, and tensors by their elements.
#pragma once
#include "compiler/interp/module/ModuleInterp.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

namespace zyxc::test {

/// A parsed module and its first function.
struct InterpretedModule {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit InterpretedModule(llvm::StringRef text) {
    context.loadDialect<zyx::ZyxDialect, zyxk::ZyxkDialect, mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
  }
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }

  /// What the function gives for these inputs; `contents` holds the inputs at the end.
  std::vector<Tensor> run(std::span<const Tensor> inputs) {
    auto results = interp::runModule(function(), inputs, {}, &contents);
    INFO((results ? std::string() : results.error().message()));
    REQUIRE(static_cast<bool>(results));
    return *results;
  }
  /// The error's text.
  std::string fail(std::span<const Tensor> inputs) {
    auto results = interp::runModule(function(), inputs);
    REQUIRE_FALSE(static_cast<bool>(results));
    return results.error().message();
  }

  std::vector<Tensor> contents;
};

inline Tensor floats(std::initializer_list<float> values) {
  Tensor tensor = Tensor::allocate({DType::F32, {static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), tensor.asMutable<float>());
  return tensor;
}

inline Tensor truth(bool value) {
  return Tensor::scalarInt(DType::Bool, value);
}

/// The elements, row-major.
inline std::vector<double> elementsOf(const Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    values.push_back(tensor.asDouble(i));
  }
  return values;
}

} // namespace zyxc::test
