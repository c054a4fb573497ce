// Reductions of a model without conflicts: what every choice needs becomes required, what is there
// anyway is read for free, options that another one always replaces are dropped, and the rest falls
// apart into parts that can be solved one by one.
#pragma once
#include "compiler/extract/Model.h"

namespace zyxc::extract {

/// Reduces a settled model; at least one of its cheapest choices is left. Fills `implied`. False if
/// there is no choice.
bool tighten(Model &model, Effort &effort);

/// The parts of a settled model that share no class, each with its own numbers of classes.
std::vector<Model> splitParts(const Model &model);

} // namespace zyxc::extract
