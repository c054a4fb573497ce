#include "tools/zyxc/rules/RulesCommand.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace zyxc::tool {

static void printJson(std::span<const rules::Rule> list) {
  llvm::json::Array array;
  for (const rules::Rule &rule : list) {
    array.push_back(llvm::json::Object{{"name", rule.name},
                                       {"level", rules::toString(rule.level)},
                                       {"stratum", rules::toString(rule.stratum)},
                                       {"reason", rule.reason},
                                       {"line", rule.at.line}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(array));
  fmt::print("{}\n", text);
}

Status listRules(const RulesLine &line) {
  ZYXC_ASSIGN(std::vector<rules::Rule> list, rulesOf(line));
  if (line.json) {
    printJson(list);
    return Status::ok();
  }
  size_t width = 0;
  for (const rules::Rule &rule : list) {
    width = std::max(width, rule.name.size());
  }
  for (const rules::Rule &rule : list) {
    fmt::print("{:<{}}  {:<7}  {:<8}  {}\n", rule.name, width, rules::toString(rule.level),
               rules::toString(rule.stratum), rule.reason);
  }
  fmt::print("{} rules\n", list.size());
  return Status::ok();
}

} // namespace zyxc::tool
