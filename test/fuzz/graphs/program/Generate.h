// Random programs over all families of zyx ops.
#pragma once
#include "test/fuzz/graphs/program/Source.h"

namespace zyxc::fuzz {

/// A valid program of 3 to about 20 ops; the same seed gives the same program. Among as many seeds
/// in a row as there are pairs of an op and a dtype, each pair that is valid occurs; with an `op`,
/// each program has it, on each dtype in turn.
Graph generate(uint64_t seed, std::optional<OpKind> op = {});
/// Seeds that differ by this have the same op on the same dtype.
uint64_t featurePeriod();

// One op of a family, over values that the source has or makes. False if nothing was added.
bool addElementwise(Source &source);
bool addMovement(Source &source);
bool addWindow(Source &source);
bool addJoin(Source &source);
bool addGather(Source &source);
bool addReduction(Source &source);
bool addScan(Source &source);
bool addOrder(Source &source);
bool addMatmul(Source &source);
bool addContract(Source &source);
bool addConvolution(Source &source);
bool addPool(Source &source);
bool addNormalization(Source &source);
bool addAttention(Source &source); ///< all of its ops

} // namespace zyxc::fuzz
