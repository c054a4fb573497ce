#include "compiler/rules/BuiltinRules.h"
#include "runtime/support/File.h"
#include <algorithm>

namespace zyxc::rules {

static constexpr char builtinText[] =
#include "compiler/rules/tensor.rules.inc"
    ;

Expected<std::vector<Rule>> builtinRules() {
  return compileRules(builtinText, "tensor.rules");
}

Expected<std::vector<Rule>> loadRules(const std::string &path) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  ZYXC_ASSIGN(std::string text, file.readAll());
  return compileRules(text, path);
}

Expected<std::vector<Rule>> builtinRulesAnd(std::span<const std::string> paths) {
  ZYXC_ASSIGN(std::vector<Rule> all, builtinRules());
  for (const std::string &path : paths) {
    ZYXC_ASSIGN(std::vector<Rule> more, loadRules(path));
    for (Rule &rule : more) {
      auto twin = std::ranges::find(all, rule.name, &Rule::name);
      if (twin != all.end()) {
        return errorAt(path, rule.at,
                       fmt::format("rule {} exists already, in {}", rule.name, twin->file));
      }
      all.push_back(std::move(rule));
    }
  }
  return all;
}

} // namespace zyxc::rules
