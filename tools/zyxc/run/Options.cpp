#include "tools/zyxc/run/Options.h"
#include <algorithm>

namespace zyxc::tool {

std::string writtenAs(const Option &option) {
  return fmt::format("{}{}", option.name.size() == 1 ? "-" : "--", option.name);
}

/// Takes an option, and its value from the arguments that follow; returns how many it took.
static Expected<size_t> parseOption(std::string_view command, std::span<const Option> options,
                                    std::span<char *const> arguments, Arguments &result) {
  std::string_view text = arguments[0];
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  auto option = std::find_if(options.begin(), options.end(),
                             [&](const Option &candidate) { return candidate.name == name; });
  if (option == options.end()) {
    return makeError(ErrorCode::Usage, "{} has no option '{}': see {} --help", command,
                     arguments[0], command);
  }
  size_t taken = 1;
  std::string_view value;
  if (equals != text.npos) {
    if (option->value.empty()) {
      return makeError(ErrorCode::Usage, "--{} takes no value", name);
    }
    value = text.substr(equals + 1);
  } else if (!option->value.empty()) {
    if (arguments.size() < 2) {
      return makeError(ErrorCode::Usage, "{} needs a value: {}", writtenAs(*option), option->value);
    }
    value = arguments[1];
    taken = 2;
  }
  Status status = option->set(value);
  if (!status.isOk()) {
    return std::move(status).withContext(fmt::format("{}={}", writtenAs(*option), value));
  }
  result.given.push_back(option->name);
  return taken;
}

/// An option, and no operand like "-" or "-1/2".
static bool looksLikeOption(std::string_view text) {
  return text.size() > 1 && text[0] == '-' && !(text[1] >= '0' && text[1] <= '9');
}

Expected<Arguments> parseOptions(std::string_view command, std::span<const Option> options,
                                 std::span<char *const> arguments) {
  Arguments result;
  bool optionsEnded = false;
  for (size_t i = 0; i < arguments.size();) {
    std::string_view text = arguments[i];
    if (!optionsEnded && text == "--") {
      optionsEnded = true;
      ++i;
    } else if (!optionsEnded && looksLikeOption(text)) {
      ZYXC_ASSIGN(size_t taken, parseOption(command, options, arguments.subspan(i), result));
      i += taken;
    } else {
      result.operands.emplace_back(text);
      ++i;
    }
  }
  return result;
}

bool wantsHelp(std::span<char *const> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](std::string_view argument) {
    return argument == "--help" || argument == "-h";
  });
}

void printOptions(std::span<const Option> options) {
  for (const Option &option : options) {
    std::string_view space = option.value.empty() ? "" : " ";
    fmt::print("  {}{}{}\n      {}\n", writtenAs(option), space, option.value, option.help);
  }
  fmt::print("  --help\n      print this\n");
}

Option switchOption(std::string_view name, std::string_view help, bool &flag) {
  return {name, "", help, [&flag](std::string_view) {
            flag = true;
            return Status::ok();
          }};
}

Option listOption(std::string_view name, std::string_view value, std::string_view help,
                  std::vector<std::string> &list) {
  return {name, value, help, [&list](std::string_view text) {
            list.emplace_back(text);
            return Status::ok();
          }};
}

} // namespace zyxc::tool
