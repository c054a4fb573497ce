// Why a program that was chosen after rules is equal to the one before: the rules on the way, from
// the union log of the engine.
#pragma once
#include "compiler/graph/Choice.h"
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// For each class that the outputs need under the choice and whose chosen node is another than the
/// one that the program was written with: a chain of terms from the one to the other. Each has the
/// rule that it came by, with the classes of its variables and the conditions that were proved; or
/// folding, a decomposition, or the chains (#1, #2) that say why its operands are equal. Terms are
/// written two ops deep. After runRules() with these rules; empty if nothing has changed.
///
/// This names rules and matches; unlike the proofs of compiler/egraph/proof it cannot be replayed,
/// as functions of rules build terms that rules as data do not show.
std::string explainChoice(const TensorGraph &graph, std::span<const Rule> rules,
                          const graph::Choice &choice);

/// After rules have led to a conflict: what does not agree, and the chain of terms between the two,
/// each with the rule that it came by, in one line.
std::string explainConflict(const TensorGraph &graph, std::span<const Rule> rules);

} // namespace zyxc::rules
