#include "compiler/interp/module/ModuleInterp.h"
#include "compiler/interp/Interp.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace zyxc::interp {

/// How often each value is still needed.
class Liveness {
public:
  /// True if nothing needs the value.
  static bool isDead(mlir::Value value) { return value.use_empty(); }

  /// Notes the uses of one op and calls release(value) for each operand that it was the last to
  /// need.
  template <class F> void pass(mlir::Operation &op, F release) {
    for (mlir::Value operand : op.getOperands()) {
      auto [entry, isFirst] = uses.try_emplace(operand, 0);
      if (isFirst) {
        entry->second = std::distance(operand.use_begin(), operand.use_end());
      }
      if (--entry->second == 0) {
        release(operand);
      }
    }
  }

private:
  llvm::DenseMap<mlir::Value, int64_t> uses;
};

static Status checkBody(mlir::func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody())) {
    return makeError(ErrorCode::Unsupported, "function {}: one block of zyx ops is needed",
                     std::string_view(function.getName()));
  }
  return Status::ok();
}

static Status checkInputs(mlir::func::FuncOp function, std::span<const Tensor> inputs) {
  if (inputs.size() != function.getNumArguments()) {
    return makeError(ErrorCode::Usage, "the model has {} inputs, {} were given",
                     function.getNumArguments(), inputs.size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    ZYXC_ASSIGN(TensorType type, zyx::toTensorType(function.getArgument(i).getType()));
    if (inputs[i].type() != type) {
      return makeError(ErrorCode::Usage, "input {} is {}, the model needs {}", i,
                       toString(inputs[i].type()), toString(type));
    }
  }
  return Status::ok();
}

static Expected<Tensor> evaluateOp(mlir::Operation &op,
                                   const llvm::DenseMap<mlir::Value, Tensor> &values) {
  std::optional<OpKind> kind = zyx::kindOf(&op);
  if (!kind) {
    return makeError(ErrorCode::Unsupported, "{} is not a zyx op",
                     std::string_view(op.getName().getStringRef()));
  }
  ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(&op));
  std::vector<Tensor> operands;
  for (mlir::Value operand : op.getOperands()) {
    operands.push_back(values.find(operand)->second);
  }
  return evaluate(*kind, attrs, operands);
}

Expected<std::vector<Tensor>> runModule(mlir::func::FuncOp function, std::span<const Tensor> inputs,
                                        const Observer &observer) {
  ZYXC_RETURN_IF_ERROR(checkBody(function));
  ZYXC_RETURN_IF_ERROR(checkInputs(function, inputs));
  llvm::DenseMap<mlir::Value, Tensor> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values[function.getArgument(i)] = inputs[i];
  }
  Liveness liveness;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    Expected<Tensor> value = evaluateOp(op, values);
    if (!value) {
      return std::move(value).error().withContext(zyx::locationName(op.getLoc()));
    }
    if (observer) {
      observer(&op, *value);
    }
    liveness.pass(op, [&](mlir::Value operand) { values.erase(operand); });
    if (!Liveness::isDead(op.getResult(0))) {
      values[op.getResult(0)] = *std::move(value);
    }
  }
  std::vector<Tensor> results;
  for (mlir::Value result : function.getBody().front().getTerminator()->getOperands()) {
    results.push_back(values.find(result)->second);
  }
  return results;
}

Expected<int64_t> peakBytes(mlir::func::FuncOp function) {
  ZYXC_RETURN_IF_ERROR(checkBody(function));
  // Saturating: a value has at most 2^61 bytes, so a sum of two fits.
  constexpr int64_t ceiling = int64_t(1) << 61;
  Liveness liveness;
  llvm::DenseMap<mlir::Value, int64_t> held;
  int64_t live = 0;
  int64_t peak = 0;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    if (op.getNumResults() != 1) {
      return makeError(ErrorCode::Unsupported, "{} is not a zyx op",
                       std::string_view(op.getName().getStringRef()));
    }
    ZYXC_ASSIGN(TensorType type, zyx::toTensorType(op.getResult(0).getType()));
    bool isConstant = zyx::kindOf(&op) == OpKind::Constant;
    int64_t bytes = isConstant ? 0 : static_cast<int64_t>(type.byteSize());
    peak = std::max(peak, std::min(live + bytes, ceiling));
    liveness.pass(op, [&](mlir::Value operand) { live -= held.lookup(operand); });
    if (!Liveness::isDead(op.getResult(0)) && live + bytes <= ceiling) {
      held[op.getResult(0)] = bytes;
      live += bytes;
    }
  }
  return peak;
}

} // namespace zyxc::interp
