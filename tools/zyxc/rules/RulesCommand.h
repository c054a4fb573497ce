// `zyxc rules ACTION [FILE]`: what rewrite rules there are (list), and whether they hold (check).
// docs/rules.md describes the language, docs/cli.md the options.
#pragma once
#include "compiler/rules/check/Soundness.h"
#include "tools/zyxc/run/Actions.h"

namespace zyxc::tool {

/// The options of all actions; without a file the built-in rules are meant.
struct RulesLine : ActionLine {
  std::string rule; ///< check: only this one; empty: all
  rules::CheckOptions check;
  bool json = false; ///< print JSON
};

/// Runs `zyxc rules` with the arguments after `rules`. Prints to standard output.
Status rulesCommand(std::span<char *const> arguments);

Status listRules(const RulesLine &line);
/// Verification, naming the first one, if rules do not hold or could not be tested.
Status checkRules(const RulesLine &line);

/// The rules of the line's file, or those that are built in.
Expected<std::vector<rules::Rule>> rulesOf(const RulesLine &line);

} // namespace zyxc::tool
