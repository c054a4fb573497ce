#include "compiler/interp/EvaluatingBuilder.h"
#include "compiler/interp/Interp.h"

namespace zyxc::interp {

GraphValue EvaluatingBuilder::input(Tensor value) {
  values.push_back(std::move(value));
  return {static_cast<uint32_t>(values.size() - 1)};
}

GraphValue EvaluatingBuilder::addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                                    TensorType type) {
  std::vector<Tensor> inputs;
  inputs.reserve(operands.size());
  for (GraphValue operand : operands) {
    inputs.push_back(values[operand.id]);
  }
  if (!firstError.isOk()) { // nothing more is computed, but types stay right
    return input(Tensor::view(std::move(type), nullptr, nullptr));
  }
  Expected<Tensor> value = evaluate(kind, attrs, inputs);
  if (!value) {
    firstError = std::move(value).error();
    return input(Tensor::view(std::move(type), nullptr, nullptr));
  }
  return input(*std::move(value));
}

} // namespace zyxc::interp
