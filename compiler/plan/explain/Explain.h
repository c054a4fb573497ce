// From what the steps of a compilation made to an explanation.
#pragma once
#include "compiler/plan/PlanBuilder.h"
#include "compiler/plan/explain/Explanation.h"
#include "compiler/rules/Runner.h"

namespace zyxc::explain {

/// One graph on its way to a plan, as its steps left it.
struct PartSteps {
  const graph::TensorGraph &graph;
  const kernelize::CandidateTable &table;
  const plan::Choice &choice;
  const plan::BuiltPlan &built;
  std::string name = {};                        ///< Part::name
  const rules::RunReport *saturation = nullptr; ///< null: no rules ran
  std::span<const rules::Rule> ruleSet = {};    ///< those that ran
  std::vector<std::string> regions = {};        ///< by body of the plan: the part's name
};

/// Reads only; takes time in proportion to the chosen candidates times their rivals.
Part explainPart(const PartSteps &steps);

} // namespace zyxc::explain
