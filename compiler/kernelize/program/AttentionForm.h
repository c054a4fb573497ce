// Which axis of an attention program plays which role, and whether the lowerings take it: the same
// conditions as those of passes/lower (AttentionRoles.h, hostattn), asked before there is MLIR.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include <optional>

namespace zyxc::kernelize {

/// Axis sets are bit masks.
struct AttentionForm {
  ValueId scores = 0; ///< the contraction
  ValueId sum = 0;    ///< the softmax sum
  uint64_t batch = 0; ///< what the logits depend on beside the next two
  uint64_t query = 0; ///< one axis; none if there is one query
  uint64_t key = 0;   ///< one axis
  uint64_t depth = 0; ///< one axis: summed in the scores
  uint64_t width = 0; ///< one axis: of the values alone
};

/// The roles of a normalized program of one softmax sum over the result of one contraction; nothing
/// if it is not attention that every target's lowering takes. One with open sizes is not.
std::optional<AttentionForm> findAttention(const Program &program);

} // namespace zyxc::kernelize
