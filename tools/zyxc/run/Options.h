// Options of a command line: a list of them, bound to where their values go, is parsed and printed
// by one piece of code.
#pragma once
#include "runtime/support/Status.h"
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc::tool {

/// An option; `set` stores its text, or says what text is needed.
struct Option {
  std::string_view name;
  std::string_view value; ///< what the help calls its value; empty for a switch
  std::string_view help;
  std::function<Status(std::string_view text)> set;
};

/// How an option is written: "--name", "-n".
std::string writtenAs(const Option &option);

/// What a command line had beside the values of options.
struct Arguments {
  std::vector<std::string> operands;   ///< what is no option
  std::vector<std::string_view> given; ///< names of the options that were there
};

/// Takes options and operands in any order; negative numbers are operands, and after "--" nothing
/// is an option. `command` is named in errors: "zyxc run". All errors are Usage.
Expected<Arguments> parseOptions(std::string_view command, std::span<const Option> options,
                                 std::span<char *const> arguments);

/// True if "--help" or "-h" is among the arguments.
bool wantsHelp(std::span<char *const> arguments);

/// Prints the options, and --help, to standard output.
void printOptions(std::span<const Option> options);

/// An option that sets a flag.
Option switchOption(std::string_view name, std::string_view help, bool &flag);
/// An option that may be given several times.
Option listOption(std::string_view name, std::string_view value, std::string_view help,
                  std::vector<std::string> &list);

} // namespace zyxc::tool
