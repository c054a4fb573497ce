#include "compiler/interp/module/InputParts.h"
#include "compiler/interp/Interp.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "dialects/zyx/IR/ZyxDialect.h"
#include <cstring>

namespace zyxc::interp {

/// The movement ops between an input and a part of it; the one on the input is the last.
static llvm::SmallVector<mlir::Operation *> movesOf(mlir::Value part) {
  llvm::SmallVector<mlir::Operation *> moves;
  while (mlir::Operation *op = part.getDefiningOp()) {
    // An `after` says when a value is read, not where its elements are.
    if (!llvm::isa<zyx::AfterOp>(op)) {
      moves.push_back(op);
    }
    part = op->getOperand(0);
  }
  return moves;
}

Expected<Tensor> readPart(mlir::Value part, const Tensor &input) {
  Tensor value = input;
  llvm::SmallVector<mlir::Operation *> moves = movesOf(part);
  for (mlir::Operation *op : llvm::reverse(moves)) {
    ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(op));
    ZYXC_ASSIGN(value, evaluate(*zyx::kindOf(op), attrs, std::span(&value, 1)));
  }
  return value;
}

/// The maps from coordinates of a part to those of its input, in this order.
static Expected<std::vector<IndexMap>> mapsOf(mlir::Value part) {
  std::vector<IndexMap> maps;
  for (mlir::Operation *op : movesOf(part)) {
    ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(op));
    ZYXC_ASSIGN(TensorType operand, zyx::toTensorType(op->getOperand(0).getType()));
    ZYXC_ASSIGN(TensorType result, zyx::toTensorType(op->getResult(0).getType()));
    maps.push_back(movementMap(*zyx::kindOf(op), attrs, operand, result));
  }
  return maps;
}

Expected<Tensor> replacePart(mlir::Value part, const Tensor &input, const Tensor &value) {
  ZYXC_ASSIGN(std::vector<IndexMap> maps, mapsOf(part));
  Tensor changed = Tensor::allocate(input.type());
  std::copy_n(input.data(), input.byteSize(), changed.mutableData());
  Shape strides = rowMajorStrides(input.shape());
  const size_t size = byteSize(input.dtype());
  Shape at(value.shape().size(), 0);
  for (int64_t i = 0; i < value.numElements(); ++i) {
    Shape place = at;
    for (const IndexMap &map : maps) {
      Shape next;
      for (const IndexExpr &expr : map.results) {
        next.push_back(expr.evaluate(place));
      }
      place = std::move(next);
    }
    int64_t offset = 0;
    for (size_t axis = 0; axis < place.size(); ++axis) {
      offset += place[axis] * strides[axis];
    }
    std::memcpy(changed.mutableData() + offset * size, value.data() + i * size, size);
    for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == value.shape()[axis];) {
      at[axis] = 0;
    }
  }
  return changed;
}

} // namespace zyxc::interp
