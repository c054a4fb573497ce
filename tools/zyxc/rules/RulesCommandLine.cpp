#include "compiler/rules/BuiltinRules.h"
#include "tools/zyxc/rules/RulesCommand.h"

namespace zyxc::tool {

namespace {

/// Actions that take an option, as bits.
constexpr unsigned onCheck = 1, onList = 2;

constexpr Action<RulesLine> actions[] = {
    {"check", onCheck, fileOrNone, "test rules against the reference interpreter", checkRules},
    {"list", onList, fileOrNone, "print the rules with level, stratum and reason", listRules},
};

constexpr ActionOption<RulesLine> options[] = {
    {"seed", onCheck, "N", "seed of the random instances (default 1)",
     [](RulesLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.check.seed, text, 0, UINT64_MAX);
     }},
    {"instances", onCheck, "N", "instances of each rule (default 100)",
     [](RulesLine &line, std::string_view text) {
       return setNumber<int>(line.check.instances, text, 1, 1'000'000);
     }},
    {"no-proofs", onCheck, "", "do not ask Z3",
     [](RulesLine &line, std::string_view) {
       line.check.prove = false;
       return Status::ok();
     }},
    {"rule", onCheck, "NAME", "only this rule", setText<&RulesLine::rule>},
    {"json", onCheck | onList, "", "print JSON", turnOn<&RulesLine::json>},
};

Status finishLine(RulesLine &line) {
  line.check.maxAttempts = std::max(20'000, 20 * line.check.instances);
  return Status::ok();
}

constexpr ActionCommand<RulesLine> command = {
    .name = "zyxc rules",
    .help = "rewrite rules of tensor programs",
    .notes = "FILE is a rule file; without one the rules that are built in are meant. Exit codes: "
             "0 ok,\n2 usage, 3 the file is unreadable or malformed, 5 a rule does not hold.\n",
    .actions = actions,
    .options = options,
    .finish = finishLine,
};

} // namespace

Status rulesCommand(std::span<char *const> arguments) {
  return runActions(command, arguments);
}

Expected<std::vector<rules::Rule>> rulesOf(const RulesLine &line) {
  return line.file.empty() ? rules::builtinRules() : rules::loadRules(line.file);
}

} // namespace zyxc::tool
