#include "compiler/rules/BuiltinRules.h"
#include "tools/zyxc/rules/RulesCommand.h"
#include "tools/zyxc/run/OptionText.h"
#include "tools/zyxc/run/Options.h"
#include <algorithm>

namespace zyxc::tool {

namespace {

struct Action {
  std::string_view name;
  std::string_view help;
  Status (*run)(const RulesLine &line);
};

constexpr Action actions[] = {
    {"check", "test rules against the reference interpreter", checkRules},
    {"list", "print the rules with level, stratum and reason", listRules},
};

} // namespace

static std::vector<Option> optionsOf(const Action &action, RulesLine &line) {
  std::vector<Option> options;
  if (action.run == checkRules) {
    options.push_back(
        {"seed", "N", "seed of the random instances (default 1)", [&line](std::string_view text) {
           return setNumber<uint64_t>(line.check.seed, text, 0, ~uint64_t(0));
         }});
    options.push_back(
        {"instances", "N", "instances of each rule (default 100)", [&line](std::string_view text) {
           return setNumber<int>(line.check.instances, text, 1, 1'000'000);
         }});
    options.push_back({"rule", "NAME", "only this rule", [&line](std::string_view text) {
                         line.rule = text;
                         return Status::ok();
                       }});
  }
  options.push_back(switchOption("json", "print JSON", line.json));
  return options;
}

static void printOverview() {
  fmt::print("zyxc rules: rewrite rules of tensor programs\n\n");
  for (const Action &action : actions) {
    fmt::print("  zyxc rules {:<5} [FILE]  {}\n", action.name, action.help);
  }
  fmt::print(
      "\nFILE is a rule file; without one the rules that are built in are meant. Exit codes: "
      "0 ok,\n2 usage, 3 the file is unreadable or malformed, 5 a rule does not hold.\n\n"
      "Options of an action: zyxc rules ACTION --help\n");
}

Status rulesCommand(std::span<char *const> arguments) {
  std::string_view first = arguments.empty() ? "--help" : arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    printOverview();
    return Status::ok();
  }
  const auto *action = std::ranges::find(actions, first, &Action::name);
  if (action == std::end(actions)) {
    return makeError(ErrorCode::Usage, "zyxc rules has no action '{}': use check or list", first);
  }
  RulesLine line;
  std::vector<Option> options = optionsOf(*action, line);
  if (wantsHelp(arguments.subspan(1))) {
    fmt::print("zyxc rules {0}: {1}\n\nusage: zyxc rules {0} [options] [FILE]\n\noptions:\n",
               action->name, action->help);
    printOptions(options);
    return Status::ok();
  }
  std::string command = fmt::format("zyxc rules {}", action->name);
  ZYXC_ASSIGN(Arguments parsed, parseOptions(command, options, arguments.subspan(1)));
  if (parsed.operands.size() > 1) {
    return makeError(ErrorCode::Usage, "'{}': {} takes one file", parsed.operands[1], command);
  }
  line.file = parsed.operands.empty() ? "" : parsed.operands[0];
  line.check.maxAttempts = std::max(20'000, 20 * line.check.instances);
  return action->run(line);
}

Expected<std::vector<rules::Rule>> rulesOf(const RulesLine &line) {
  return line.file.empty() ? rules::builtinRules() : rules::loadRules(line.file);
}

} // namespace zyxc::tool
