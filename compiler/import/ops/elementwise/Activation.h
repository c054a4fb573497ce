// Activation functions that other operators use: recurrent cells name them by attribute.
#pragma once
#include "compiler/import/node/OnnxNode.h"

namespace zyxc::importer {

/// 1 / (1 + e^-x).
GraphValue sigmoid(GraphWriter &g, GraphValue x);
/// log(1 + e^x), without overflow.
GraphValue softplus(GraphWriter &g, GraphValue x);

/// An activation of a recurrent cell with its parameters.
struct CellActivation {
  enum class Kind : uint8_t {
    Relu,
    Tanh,
    Sigmoid,
    Affine,
    LeakyRelu,
    ThresholdedRelu,
    ScaledTanh,
    HardSigmoid,
    Elu,
    Softsign,
    Softplus
  };
  Kind kind;
  double alpha, beta;

  GraphValue operator()(GraphWriter &g, GraphValue x) const;
};

/// The functions of these names, in any case. Those that have parameters take them in turn from the
/// node's attributes activation_alpha and activation_beta; without, ONNX's defaults hold.
Expected<std::vector<CellActivation>> cellActivations(const OnnxNode &n,
                                                      std::vector<std::string> names);

} // namespace zyxc::importer
