// Commands that consist of actions on a file: `zyxc kernel check FILE`. A command is two tables, of
// its actions and of their options; what is done with them is here.
#pragma once
#include "tools/zyxc/run/OptionText.h"
#include "tools/zyxc/run/Options.h"
#include <algorithm>
#include <fmt/core.h>

namespace zyxc::tool {

/// What stands beside the options of an action.
struct Operands {
  std::string_view text;  ///< as the help writes it
  std::string_view words; ///< as errors name it
  size_t least, most;
};
inline constexpr Operands oneFile = {"FILE", "one file", 1, 1};
inline constexpr Operands fileOrNone = {"[FILE]", "one file", 0, 1};

/// What a line of options begins with.
struct ActionLine {
  std::string file;                  ///< the first operand; empty: none
  std::vector<std::string> operands; ///< those behind it
};

/// What a command can do. `Line` is an ActionLine with the options of all of its actions.
template <class Line> struct Action {
  std::string_view name;
  unsigned bit; ///< stands for the action in ActionOption::actions
  Operands operands;
  std::string_view help;
  Status (*run)(const Line &line);
};

/// An option of some actions; `set` stores its text, or says what text is needed.
template <class Line> struct ActionOption {
  std::string_view name;
  unsigned actions;       ///< bits
  std::string_view value; ///< what the help calls its value; empty for a switch
  std::string_view help;
  Status (*set)(Line &line, std::string_view text);
};

/// A command of zyxc.
template <class Line> struct ActionCommand {
  std::string_view name;  ///< "zyxc kernel"
  std::string_view help;  ///< what it is about, in a few words
  std::string_view notes; ///< lines for its overview, behind the actions
  std::span<const Action<Line>> actions;
  std::span<const ActionOption<Line>> options;
  Status (*finish)(Line &line) = nullptr; ///< checks options against each other; may be null
};

/// For ActionOption::set: a switch that sets a member.
template <auto member, class Line> Status turnOn(Line &line, std::string_view) {
  line.*member = true;
  return Status::ok();
}

/// For ActionOption::set: a member that is the text.
template <auto member, class Line> Status setText(Line &line, std::string_view text) {
  line.*member = text;
  return Status::ok();
}

/// For ActionOption::set: a member that is a number from `least` to `most`.
template <auto member, auto least, auto most, class Line>
Status setInRange(Line &line, std::string_view text) {
  using Number = std::remove_reference_t<decltype(line.*member)>;
  return setNumber<Number>(line.*member, text, least, most);
}

/// The options of an action, bound to `line`.
template <class Line>
std::vector<Option> optionsOf(const ActionCommand<Line> &command, const Action<Line> &action,
                              Line &line) {
  std::vector<Option> options;
  for (const ActionOption<Line> &option : command.options) {
    if (option.actions & action.bit) {
      options.push_back(
          {option.name, option.value, option.help,
           [&line, set = option.set](std::string_view text) { return set(line, text); }});
    }
  }
  return options;
}

template <class Line> void printOverview(const ActionCommand<Line> &command) {
  size_t nameWidth = 0;
  size_t operandsWidth = 0;
  for (const Action<Line> &action : command.actions) {
    nameWidth = std::max(nameWidth, action.name.size());
    operandsWidth = std::max(operandsWidth, action.operands.text.size());
  }
  fmt::print("{}: {}\n\n", command.name, command.help);
  for (const Action<Line> &action : command.actions) {
    fmt::print("  {} {:<{}} {:<{}}  {}\n", command.name, action.name, nameWidth,
               action.operands.text, operandsWidth, action.help);
  }
  fmt::print("\n{}\nOptions of an action: {} ACTION --help\n", command.notes, command.name);
}

/// Runs an action with the arguments behind its name, or prints its help.
template <class Line>
Status runAction(const ActionCommand<Line> &command, const Action<Line> &action,
                 std::span<char *const> arguments) {
  std::string name = fmt::format("{} {}", command.name, action.name);
  Line line;
  std::vector<Option> options = optionsOf(command, action, line);
  if (wantsHelp(arguments)) {
    fmt::print("{0}: {1}\n\nusage: {0} [options] {2}\n\noptions:\n", name, action.help,
               action.operands.text);
    printOptions(options);
    return Status::ok();
  }
  ZYXC_ASSIGN(Arguments parsed, parseOptions(name, options, arguments));
  std::vector<std::string> &operands = parsed.operands;
  if (operands.size() < action.operands.least) {
    return makeError(ErrorCode::Usage, "no file is given: {} {}", name, action.operands.text);
  }
  if (operands.size() > action.operands.most) {
    return makeError(ErrorCode::Usage, "'{}': {} takes {}", operands[action.operands.most], name,
                     action.operands.words);
  }
  if (!operands.empty()) {
    line.file = operands[0];
    line.operands.assign(operands.begin() + 1, operands.end());
  }
  if (command.finish) {
    ZYXC_RETURN_IF_ERROR(command.finish(line));
  }
  return action.run(line);
}

/// Runs a command with the arguments behind its name. Errors of the command line are Usage.
template <class Line>
Status runActions(const ActionCommand<Line> &command, std::span<char *const> arguments) {
  std::string_view first = arguments.empty() ? "--help" : arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    printOverview(command);
    return Status::ok();
  }
  std::string names;
  for (const Action<Line> &action : command.actions) {
    if (action.name == first) {
      return runAction(command, action, arguments.subspan(1));
    }
    bool isLast = &action == &command.actions.back();
    names += names.empty() ? "" : isLast ? " or " : ", ";
    names += action.name;
  }
  return makeError(ErrorCode::Usage, "{} has no action '{}': use {}", command.name, first, names);
}

} // namespace zyxc::tool
