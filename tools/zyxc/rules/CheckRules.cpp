#include "tools/zyxc/rules/RulesCommand.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

namespace zyxc::tool {

using rules::CheckResult;
using rules::Counterexample;
using rules::Rule;

namespace {

struct Checked {
  const Rule *rule;
  CheckResult result;

  bool passes() const { return result.holds() && result.isTested(); }
};

} // namespace

static void printText(const Checked &checked, size_t width) {
  const Rule &rule = *checked.rule;
  fmt::print("{:<{}}  {:<7}  ", rule.name, width, toString(rule.level));
  if (checked.result.holds()) {
    fmt::print("{}\n", checked.result.toText(rule.level));
  } else {
    fmt::print("does not hold\n  {}\n{}", rule.text, checked.result.counterexample->toText());
  }
}

static llvm::json::Object exampleJson(const Counterexample &example) {
  return llvm::json::Object{{"left", example.left},
                            {"right", example.right},
                            {"type", example.type},
                            {"inputs", llvm::json::Array(example.inputs)},
                            {"leftValue", example.leftValue},
                            {"rightValue", example.rightValue},
                            {"difference", example.difference},
                            {"arithmetic", example.arithmetic}};
}

static void printJson(std::span<const Checked> list) {
  llvm::json::Array array;
  for (const Checked &checked : list) {
    llvm::json::Object object{{"name", checked.rule->name},
                              {"level", toString(checked.rule->level)},
                              {"line", checked.rule->at.line},
                              {"holds", checked.result.holds()},
                              {"instances", checked.result.instances},
                              {"floats", checked.result.floats},
                              {"integers", checked.result.integers},
                              {"field", checked.result.field}};
    if (checked.result.proof.outcome == rules::ProofResult::Outcome::Proved) {
      object["provedFor"] = checked.result.proof.dtypes;
    }
    if (!checked.result.holds()) {
      object["counterexample"] = exampleJson(*checked.result.counterexample);
    }
    array.push_back(std::move(object));
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(array));
  fmt::print("{}\n", text);
}

/// An error that names the first rule that does not pass, and says how many do not.
static Status resultOf(std::span<const Checked> list) {
  auto failed = std::ranges::find_if(list, [](const Checked &c) { return !c.passes(); });
  if (failed == list.end()) {
    return Status::ok();
  }
  const Rule &rule = *failed->rule;
  auto count = std::ranges::count_if(list, [](const Checked &c) { return !c.passes(); });
  std::string_view what =
      failed->result.holds()
          ? "was not tested: no instance of its pattern was found on which it does something"
          : "does not hold";
  return makeError(ErrorCode::Verification, "{}:{}:{}: rule {} {}{}", rule.file, rule.at.line,
                   rule.at.column, rule.name, what,
                   count > 1 ? fmt::format(", and {} others fail, too", count - 1) : "");
}

Status checkRules(const RulesLine &line) {
  ZYXC_ASSIGN(std::vector<Rule> list, rulesOf(line));
  if (!line.rule.empty()) {
    std::erase_if(list, [&](const Rule &rule) { return rule.name != line.rule; });
    if (list.empty()) {
      return makeError(ErrorCode::Usage, "there is no rule {}: see zyxc rules list{}{}", line.rule,
                       line.file.empty() ? "" : " ", line.file);
    }
  }
  size_t width = 0;
  for (const Rule &rule : list) {
    width = std::max(width, rule.name.size());
  }
  std::vector<Checked> checked;
  for (const Rule &rule : list) {
    ZYXC_ASSIGN(CheckResult result, checkRule(rule, line.check));
    checked.push_back({&rule, std::move(result)});
    if (!line.json) {
      printText(checked.back(), width);
    }
  }
  if (line.json) {
    printJson(checked);
  } else {
    fmt::print("{} of {} rules hold\n", std::ranges::count_if(checked, &Checked::passes),
               checked.size());
    auto proved = std::ranges::count_if(checked, [](const Checked &c) {
      return c.result.proof.outcome == rules::ProofResult::Outcome::Proved;
    });
    bool isAsked = !checked.empty() && line.check.prove;
    if (isAsked && checked[0].result.proof.outcome == rules::ProofResult::Outcome::NoSolver) {
      fmt::print("none is proved: this zyxc was built without Z3 (package libz3-dev)\n");
    } else if (isAsked) {
      fmt::print("{} of them are proved for integers of 8 bits by Z3\n", proved);
    }
  }
  return resultOf(checked);
}

} // namespace zyxc::tool
