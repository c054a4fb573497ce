// A GraphBuilder that computes: every op is evaluated when it is added. Runs decompositions.
#pragma once
#include "dialects/zyx/semantics/GraphBuilder.h"

namespace zyxc::interp {

class EvaluatingBuilder : public GraphBuilder {
public:
  GraphValue input(Tensor value);
  const TensorType &typeOf(GraphValue value) const override { return values[value.id].type(); }
  const Tensor &valueOf(GraphValue value) const { return values[value.id]; }
  /// The first error of an op, or ok. After an error nothing more is computed.
  const Status &status() const { return firstError; }

protected:
  GraphValue addOp(OpKind kind, std::span<const GraphValue> operands, Attrs attrs,
                   TensorType type) override;

private:
  std::vector<Tensor> values;
  Status firstError;
};

} // namespace zyxc::interp
