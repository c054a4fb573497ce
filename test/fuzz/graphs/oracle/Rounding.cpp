#include "test/fuzz/graphs/oracle/Rounding.h"
#include "compiler/interp/Interp.h"
#include "test/fuzz/graphs/oracle/Exactness.h"

namespace zyxc::fuzz {

static Expected<Tensor> evaluateBits(Choices &choices, const Node &node, const Tensor &operand,
                                     const Tensor &undisturbed) {
  if (node.type.dtype == operand.dtype()) {
    return operand;
  }
  Tensor other = choices.withOpenBits(operand, undisturbed);
  return interp::evaluate(node.kind, node.attrs, std::span(&other, 1));
}

Expected<Tensor> evaluateWith(Choices &choices, const Node &node, std::span<const Tensor> operands,
                              std::span<const Tensor> undisturbed, bool exact) {
  Effect effect = effectOf(node.kind);
  if (node.kind == OpKind::Bitcast && isFloat(operands[0].dtype())) {
    return evaluateBits(choices, node, operands[0], undisturbed[0]);
  }
  if (!isFloat(node.type.dtype) ||
      (!exact && effect == Effect::Sum && !isFloat(operands[0].dtype()))) {
    return interp::evaluate(node.kind, node.attrs, operands);
  }
  if (effect == Effect::Sum && !exact) {
    ZYXC_ASSIGN(Tensor sum, evaluateSum(choices, node, operands));
    choices.signZeros(sum);
    return sum;
  }
  ZYXC_ASSIGN(Tensor value, interp::evaluate(node.kind, node.attrs, operands));
  if (!exact && effect != Effect::None) {
    value = choices.moved(value, effect == Effect::Function ? 3 : 1);
  }
  bool openZeros = node.kind == OpKind::Max || node.kind == OpKind::Min ||
                   node.kind == OpKind::MaxPool || isReduce(node.kind) || effect == Effect::Sum;
  if (openZeros) {
    Tensor copy = choices.moved(value, 0);
    choices.signZeros(copy);
    return copy;
  }
  return value;
}

} // namespace zyxc::fuzz
