// Attention on the host: one contract (the scores), any scalar function of it, one expsum over the
// keys, any epilogue. A task has a block of queries; keys come in blocks that stay in the caches,
// and sums are rescaled when a maximum grew (Dao et al., FlashAttention, 2022). Both products are
// register tiles of the contract family. Lanes of the scores are queries, so maxima and sums of the
// softmax need no reduction across lanes, and keys and values are read where they are.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc {

/// Replaces the kernel, whose body is not yet legalized, by its host function
/// (passes/lower/HostFunction.h) if it is attention that this family takes and its schedule is
/// #zyxk.attn or none; else changes nothing but to expand its body, and returns false.
bool lowerHostAttention(zyxk::KernelOp kernel, unsigned vectorBits);

} // namespace zyxc
