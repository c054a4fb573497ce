#include "compiler/interp/module/ModuleInterp.h"
#include "compiler/interp/Interp.h"
#include "compiler/interp/module/Functions.h"
#include "compiler/interp/module/InputParts.h"
#include "compiler/interp/module/KernelCall.h"
#include "compiler/interp/module/Liveness.h"
#include "dialects/zyx/IR/ZyxBridge.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

namespace zyxc::interp {

using Values = std::vector<Tensor>;

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

namespace {

/// One run of a function.
class FunctionRun {
public:
  FunctionRun(mlir::func::FuncOp function, const Observer &observer, int depth)
      : function(function), liveness(function.getBody()), observer(observer), depth(depth) {}

  Expected<Values> run(std::span<const Tensor> inputs);

  Values contents; ///< what each input holds now

private:
  Expected<Values> runBlock(mlir::Block &block, Values arguments);
  Expected<Values> runOp(mlir::Operation &op);
  Expected<Values> runIf(zyx::IfOp branch);
  Expected<Values> runLoop(zyx::LoopOp loop);
  Expected<Values> runCustom(zyx::CustomOp custom);
  Expected<Values> assign(zyx::AssignOp op);
  Expected<Values> readAfter(zyx::AfterOp op);
  Expected<Values> evaluateOp(mlir::Operation &op);

  const Tensor &valueOf(mlir::Value value) const { return values.find(value)->second; }
  Values valuesOf(mlir::ValueRange range) const;
  void bind(mlir::ValueRange range, Values given);
  void release(mlir::Operation &op);

  mlir::func::FuncOp function;
  Liveness liveness;
  const Observer &observer;
  int depth; ///< decompositions around this function
  llvm::DenseMap<mlir::Value, Tensor> values;
  llvm::DenseMap<mlir::Value, Tensor> versions; ///< of inputs, by the assign that made each
};

} // namespace

Values FunctionRun::valuesOf(mlir::ValueRange range) const {
  Values list;
  for (mlir::Value value : range) {
    list.push_back(valueOf(value));
  }
  return list;
}

void FunctionRun::bind(mlir::ValueRange range, Values given) {
  for (auto [value, tensor] : llvm::zip_equal(range, given)) {
    if (!Liveness::isDead(value)) {
      values[value] = std::move(tensor);
    }
  }
}

void FunctionRun::release(mlir::Operation &op) {
  for (mlir::Value value : liveness.endingWith(op)) {
    values.erase(value);
    versions.erase(value);
  }
}

Expected<Values> FunctionRun::run(std::span<const Tensor> inputs) {
  contents.assign(inputs.begin(), inputs.end());
  return runBlock(function.getBody().front(), contents);
}

/// Values of the operands of the block's terminator.
Expected<Values> FunctionRun::runBlock(mlir::Block &block, Values arguments) {
  bind(block.getArguments(), std::move(arguments));
  for (mlir::Operation &op : block.without_terminator()) {
    Expected<Values> results = runOp(op);
    if (!results) {
      return std::move(results).error().withContext(zyx::locationName(op.getLoc()));
    }
    for (size_t i = 0; observer && i < results->size(); ++i) {
      observer(&op, (*results)[i]);
    }
    release(op);
    bind(op.getResults(), *std::move(results));
  }
  Values results = valuesOf(block.getTerminator()->getOperands());
  release(*block.getTerminator());
  return results;
}

Expected<Values> FunctionRun::runOp(mlir::Operation &op) {
  return llvm::TypeSwitch<mlir::Operation *, Expected<Values>>(&op)
      .Case([&](zyx::IfOp branch) { return runIf(branch); })
      .Case([&](zyx::LoopOp loop) { return runLoop(loop); })
      .Case([&](zyx::KernelOp call) { return callKernel(call, valuesOf(call.getOperands())); })
      .Case([&](zyx::CustomOp custom) { return runCustom(custom); })
      .Case([&](zyx::AssignOp write) { return assign(write); })
      .Case([&](zyx::AfterOp read) { return readAfter(read); })
      .Default([&](mlir::Operation *) { return evaluateOp(op); });
}

Expected<Values> FunctionRun::runIf(zyx::IfOp branch) {
  bool holds = valueOf(branch.getCondition()).asInt(0) != 0;
  return runBlock((holds ? branch.getThenRegion() : branch.getElseRegion()).front(), {});
}

Expected<Values> FunctionRun::runLoop(zyx::LoopOp loop) {
  const size_t numCarried = loop.getInits().size();
  const auto limit = static_cast<int64_t>(loop.getLimit());
  bool goesOn = valueOf(loop.getFirst()).asInt(0) != 0;
  Values carried = valuesOf(loop.getInits());
  Values collected;
  for (mlir::Type type : loop.collected().getTypes()) {
    ZYXC_ASSIGN(TensorType rows, zyx::toTensorType(type));
    collected.push_back(Tensor::zeros(rows));
  }
  for (int64_t i = 0; i < limit && goesOn; ++i) {
    Values arguments{Tensor::scalarInt(DType::I64, i)};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    carried.clear(); // the body frees them
    ZYXC_ASSIGN(Values yielded, runBlock(loop.getBody().front(), std::move(arguments)));
    goesOn = yielded[0].asInt(0) != 0;
    for (size_t k = 0; k < collected.size(); ++k) {
      const Tensor &row = yielded[1 + numCarried + k];
      std::copy_n(row.data(), row.byteSize(),
                  collected[k].mutableData() + static_cast<size_t>(i) * row.byteSize());
    }
    carried.assign(yielded.begin() + 1, yielded.begin() + 1 + static_cast<int64_t>(numCarried));
  }
  carried.insert(carried.end(), collected.begin(), collected.end());
  return carried;
}

Expected<Values> FunctionRun::runCustom(zyx::CustomOp custom) {
  ZYXC_ASSIGN(mlir::func::FuncOp decomposition, decompositionOf(custom, depth));
  return FunctionRun(decomposition, {}, depth + 1).run(valuesOf(custom.getOperands()));
}

/// The next version of an input.
Expected<Values> FunctionRun::assign(zyx::AssignOp op) {
  Tensor &now = contents[zyx::bufferOf(op.getTarget()).getArgNumber()];
  const Tensor &value = valueOf(op.getValue());
  ZYXC_ASSIGN(now, replacePart(op.getTarget(), now, value));
  if (!Liveness::isDead(op.getResult())) {
    versions[op.getResult()] = now;
  }
  return Values{value};
}

Expected<Values> FunctionRun::readAfter(zyx::AfterOp op) {
  ZYXC_ASSIGN(Tensor value, readPart(op.getX(), versions.find(op.getWrite())->second));
  return Values{std::move(value)};
}

Expected<Values> FunctionRun::evaluateOp(mlir::Operation &op) {
  std::optional<OpKind> kind = zyx::kindOf(&op);
  if (!kind) {
    return makeError(ErrorCode::Unsupported, "{} is not a zyx op",
                     std::string_view(op.getName().getStringRef()));
  }
  ZYXC_ASSIGN(Attrs attrs, zyx::attrsOf(&op));
  ZYXC_ASSIGN(Tensor value, evaluate(*kind, attrs, valuesOf(op.getOperands())));
  return Values{std::move(value)};
}

Expected<Values> runModule(mlir::func::FuncOp function, std::span<const Tensor> inputs,
                           const Observer &observer, std::vector<Tensor> *contents) {
  ZYXC_RETURN_IF_ERROR(checkBody(function));
  ZYXC_RETURN_IF_ERROR(checkInputs(function, inputs));
  FunctionRun run(function, observer, 0);
  ZYXC_ASSIGN(Values results, run.run(inputs));
  if (contents) {
    *contents = std::move(run.contents);
  }
  return results;
}

} // namespace zyxc::interp
