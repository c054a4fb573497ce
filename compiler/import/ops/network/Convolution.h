// The convolution that a node's attributes describe, for operators that convolve other values than
// their operands.
#pragma once
#include "compiler/import/node/OnnxNode.h"

namespace zyxc::importer {

/// x [N,C,D1..Dk] convolved with w [O,C/group,K1..Kk] as the node's attributes say, without a bias.
/// windowsOf reads the padded sizes from input 0 of the node, which must have the shape of x.
Expected<GraphValue> convolution(OnnxNode &n, GraphValue x, GraphValue w);

/// x [N,C,D1..Dk] with stride - 1 zeros between the elements of each spatial axis.
GraphValue insertZeros(GraphWriter &g, GraphValue x, const std::vector<int64_t> &strides);

} // namespace zyxc::importer
