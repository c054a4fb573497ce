// A saturated e-graph as egraph-serialize JSON, the form that EGraphFile reads.
#pragma once
#include "compiler/egraph/pattern/Language.h"
#include "runtime/support/Status.h"
#include <map>
#include <span>

namespace zyxc::tool {

/// Costs by the name of an op (Language::opName), as texts of JSON numbers.
using OpCosts = std::map<std::string, std::string, std::less<>>;

/// Reads "OP=COST,.." into `costs`. Usage if a cost is not a finite number of 0 and more.
Status addCosts(OpCosts &costs, std::string_view text);

/// The text of a clean graph. Classes are "0", "1", .. in the order of their oldest nodes, which
/// are "0.0", "0.1", ..; a node costs what `costs` says of its op, else 1. The same graph gives the
/// same text. Usage if `costs` names an op that `language` has not.
Expected<std::string> toSerializeJson(const egraph::EGraph &graph, const egraph::Language &language,
                                      std::span<const egraph::Id> roots, const OpCosts &costs);

} // namespace zyxc::tool
