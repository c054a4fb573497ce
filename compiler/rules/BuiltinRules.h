// The rules that are compiled in (tensor.rules), and rules from files.
#pragma once
#include "compiler/rules/Rule.h"

namespace zyxc::rules {

/// The built-in rules; compiled from their text at each call.
Expected<std::vector<Rule>> builtinRules();
/// Rules of a text file.
Expected<std::vector<Rule>> loadRules(const std::string &path);
/// The built-in rules, then those of the files. Input, with file, line and column, if two have one
/// name.
Expected<std::vector<Rule>> builtinRulesAnd(std::span<const std::string> paths);

} // namespace zyxc::rules
