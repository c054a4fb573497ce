// A fold as roots: its step as a list of functions over slots, and a root per state.
#include "compiler/interp/kernel/GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::kernelinterp {

namespace {

/// Numbers the values of a step.
class StepBuilder {
public:
  explicit StepBuilder(FoldOp fold) : fold(fold), block(fold.getStep().front()) {}
  Expected<FoldStep> run();

private:
  Status addOp(Operation &op);

  FoldOp fold;
  Block &block;
  FoldStep step;
  llvm::DenseMap<Value, unsigned> slots;
};

} // namespace

Status StepBuilder::addOp(Operation &op) {
  FoldOpcode opcode;
  opcode.fn = scalarFunctionOf(op);
  if (!opcode.fn) {
    return makeError(ErrorCode::Unsupported, "the kernel interpreter does not know {} in a fold",
                     op.getName().getStringRef().str());
  }
  for (Value operand : op.getOperands()) {
    opcode.operands.push_back(slots.lookup(operand));
  }
  bool isSelect = isa<arith::SelectOp>(op);
  ZYXC_ASSIGN(opcode.context.from, scalarTypeOf(op.getOperand(isSelect ? 1 : 0).getType()));
  ZYXC_ASSIGN(opcode.context.to, scalarTypeOf(op.getResult(0).getType()));
  step.ops.push_back(std::move(opcode));
  return Status::ok();
}

Expected<FoldStep> StepBuilder::run() {
  step.numStates = fold.getNumStates();
  step.numValues = fold.getValues().size();
  unsigned number = 0;
  for (BlockArgument argument : block.getArguments()) {
    slots[argument] = number++;
  }
  for (auto constant : block.getOps<arith::ConstantOp>()) {
    slots[constant.getResult()] = number++;
    ZYXC_ASSIGN(ScalarType type, scalarTypeOf(constant.getType()));
    step.constants.push_back(wordOf(constant.getValue(), type));
  }
  for (Operation &op : block.without_terminator()) {
    if (!isa<arith::ConstantOp>(op)) {
      ZYXC_RETURN_IF_ERROR(addOp(op));
      slots[op.getResult(0)] = number++;
    }
  }
  for (Value state : block.getTerminator()->getOperands()) {
    step.yielded.push_back(slots.lookup(state));
  }
  return std::move(step);
}

Status GraphBuilder::addFold(FoldOp fold) {
  uint16_t source = sourceOf(fold);
  auto built = StepBuilder(fold).run();
  if (!built) {
    return std::move(built).error().withContext(graph.sources[source]);
  }
  auto step = std::make_shared<const FoldStep>(std::move(*built));
  Root root;
  root.kind = RootKind::Fold;
  root.step = step;
  root.reduced = axisSetOf(fold.getAxes());
  root.source = source;
  for (Value value : fold.getValues()) {
    root.folded.push_back(nodes.lookup(value));
  }
  for (Value init : fold.getInits()) {
    root.inits.push_back(nodes.lookup(init));
  }
  for (const std::vector<NodeId> *list : {&root.folded, &root.inits}) {
    for (NodeId node : *list) {
      root.axes |= graph.nodes[node].axes;
    }
  }
  root.axes &= ~root.reduced;
  root.value = root.folded.front();
  for (auto [i, result] : llvm::enumerate(fold.getResults())) {
    Root one = root;
    one.state = i;
    ZYXC_ASSIGN(one.type, scalarTypeOf(result.getType()));
    nodes[result] = this->result(std::move(one));
  }
  return Status::ok();
}

} // namespace zyxc::kernelinterp
