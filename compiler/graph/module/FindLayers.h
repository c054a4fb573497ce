// Equal layers of a function: runs of ops that follow each other and differ in constants only.
#pragma once
#include "compiler/graph/Layers.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace zyxc::graph {

/// Layers of a function, of which the importer reads the first ones and the last one. An op of a
/// layer reads what the same op of the layer before reads, one layer on; or the same value, from
/// outside; or a constant of its own.
struct FunctionLayers {
  std::vector<mlir::Operation *> ops; ///< of the function, without constants
  llvm::DenseMap<mlir::Operation *, size_t> numberOf;
  size_t first = 0;  ///< op of the first layer
  size_t period = 0; ///< ops of a layer
  size_t count = 0;  ///< layers
  size_t kept = 0;
  std::vector<std::vector<mlir::Value>> parameters; ///< by layer
  /// By the place of an op in its layer and its operand: the parameter.
  llvm::DenseMap<std::pair<size_t, unsigned>, size_t> parameterAt;

  /// As Layers::live.
  std::vector<std::vector<LiveResult>> live() const;

  struct Place {
    size_t layer = 0; ///< of the function
    size_t op = 0;
  };
  std::optional<Place> placeOf(mlir::Operation *op) const;
  bool isKept(size_t layer) const { return layer + 1 < kept || layer + 1 == count; }
  /// Of a layer that is kept: its number among those.
  size_t keptNumber(size_t layer) const { return layer + 1 == count ? kept - 1 : layer; }
  /// The value itself, or what stands for that of a layer that is left out.
  mlir::Value standIn(mlir::Value value) const;
  /// True if nothing but layers read the constant, as a parameter.
  bool isOnlyParameter(mlir::Operation *constant) const;
};

/// Nothing if fewer than `kept` + 2 layers are equal, if the function has ops with regions, custom
/// kernels or writes, or if something reads results of a layer that would be left out.
std::optional<FunctionLayers> findLayers(mlir::func::FuncOp function, size_t kept);

} // namespace zyxc::graph
