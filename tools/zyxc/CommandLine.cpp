#include "tools/zyxc/CommandLine.h"
#include "runtime/support/Memory.h"
#include "tools/zyxc/kernel/OptionText.h"
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <span>
#include <thread>

namespace zyxc::tool {

static constexpr std::string_view overview =
    "zyxc: compiles and runs saved tensor graphs\n\n"
    "  zyxc run MODEL      compile, run, print the outputs\n"
    "  zyxc inspect MODEL  inputs, outputs and unsupported operators\n"
    "  zyxc verify MODEL   compare a target with the reference interpreter\n"
    "  zyxc doctor         say what this machine lacks\n"
    "  zyxc kernel ACTION  check, time or print single kernels: see zyxc kernel --help\n\n"
    "MODEL is an ONNX file or a module of the zyx dialect (.mlir).\n"
    "Exit codes: 0 ok, 2 usage, 3 input unreadable, 4 unsupported, 5 verification failed,\n"
    "6 output differs from --expect, 7 device, 8 out of memory, 9 internal error,\n"
    "10 compiled, not run: no device.\n\n"
    "Options of a command: zyxc COMMAND --help\n";

/// Commands that take an option, as bits.
static constexpr unsigned onRun = 1, onInspect = 2, onVerify = 4, onDoctor = 8;

namespace {

struct CommandInfo {
  std::string_view name;
  Command command;
  unsigned bit;
  bool takesModel;
  std::string_view help;
};

/// An option; `set` stores its text, or says what text is needed.
struct Option {
  std::string_view name;
  unsigned commands;
  std::string_view value; ///< what the help calls its value; empty for a switch
  std::string_view help;
  Status (*set)(CommandLine &line, std::string_view text);
};

} // namespace

static constexpr CommandInfo commandTable[] = {
    {"run", Command::Run, onRun, true, "compile and run a model"},
    {"inspect", Command::Inspect, onInspect, true,
     "print a model's inputs, outputs and unsupported operators"},
    {"verify", Command::Verify, onVerify, true, "compare a target with the reference interpreter"},
    {"doctor", Command::Doctor, onDoctor, false, "say what this machine lacks"},
};

static Status setTolerance(double &out, std::string_view text) {
  return setNumber(out, text, 0.0, HUGE_VAL).isOk()
             ? Status::ok()
             : makeError(ErrorCode::Usage, "give a number that is not negative");
}

static Status addText(std::vector<std::string> &list, std::string_view text) {
  list.emplace_back(text);
  return Status::ok();
}

/// Appends the step names of a comma-separated list.
static Status addSteps(std::vector<std::string> &steps, std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string step(text.substr(begin, end - begin));
    if (!isStep(step)) {
      return makeError(ErrorCode::Usage, "no such step; steps are {}", stepList());
    }
    steps.push_back(std::move(step));
    begin = end + 1;
  }
  return Status::ok();
}

static Status setTarget(CommandLine &line, std::string_view text) {
  line.target = text;
  return text == "cpu" || text == "interp" ? Status::ok()
                                           : makeError(ErrorCode::Usage, "use interp or cpu");
}

static Status setStopAfter(CommandLine &line, std::string_view text) {
  line.compile.stopAfter = text;
  return isStep(text) ? Status::ok()
                      : makeError(ErrorCode::Usage, "no such step; steps are {}", stepList());
}

static Status setNumerics(CommandLine &line, std::string_view text) {
  ZYXC_ASSIGN(line.compile.numerics, rules::parseNumerics(text));
  return Status::ok();
}

static Status setMemoryLimit(CommandLine &line, std::string_view text) {
  auto limit = parseBytes(text);
  if (!limit || *limit == 0) {
    return makeError(ErrorCode::Usage, "give bytes, or a number with K, M, G");
  }
  line.compile.memoryLimit = *limit;
  return Status::ok();
}

/// A switch that sets a member.
template <bool CommandLine::*member> static Status turnOn(CommandLine &line, std::string_view) {
  line.*member = true;
  return Status::ok();
}

static constexpr unsigned runAndVerify = onRun | onVerify;

static constexpr Option optionTable[] = {
    {"input", runAndVerify, "[name=]@file.npy|@file.pb|random|zeros|ones|arange",
     "value of an input; what is not given is random",
     [](CommandLine &line, std::string_view text) { return addText(line.inputs, text); }},
    {"bind", runAndVerify, "[name=]@file", "make an input a compile-time constant",
     [](CommandLine &line, std::string_view text) { return addText(line.bindings, text); }},
    {"expect", onRun, "[name=]@file", "compare an output; exit code 6 if it differs",
     [](CommandLine &line, std::string_view text) { return addText(line.expects, text); }},
    {"output", onRun, "[name=]@file.npy|@file.pb", "write an output to a file",
     [](CommandLine &line, std::string_view text) { return addText(line.saves, text); }},
    {"rtol", runAndVerify, "X", "relative tolerance (default 1e-3)",
     [](CommandLine &line, std::string_view text) { return setTolerance(line.rtol, text); }},
    {"atol", runAndVerify, "X",
     "absolute tolerance (default: rtol times the expected tensor's root mean square)",
     [](CommandLine &line, std::string_view text) { return setTolerance(line.atol, text); }},
    {"target", runAndVerify, "interp|cpu", "where to run (default cpu)", setTarget},
    {"threads", runAndVerify, "N", "threads (default 0: all cores)",
     [](CommandLine &line, std::string_view text) {
       return setNumber(line.compile.threads, text, 0, 1024);
     }},
    {"repeat", onRun, "N", "run this often and print the times",
     [](CommandLine &line, std::string_view text) {
       return setNumber(line.repeat, text, 1, 1'000'000);
     }},
    {"seed", runAndVerify, "N", "seed of random inputs (default 0)",
     [](CommandLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.seed, text, 0, UINT64_MAX);
     }},
    {"numerics", runAndVerify, "exact|reorder|approx|algebra",
     "what may change in rounding (default approx)", setNumerics},
    {"memory-limit", runAndVerify, "BYTES|512M|2G", "refuse to plan more memory than this",
     setMemoryLimit},
    {"stop-after", onRun, "STEP", "end the pipeline after a step", setStopAfter},
    {"dump-after", runAndVerify, "STEP,...", "print what a step made, to standard error",
     [](CommandLine &line, std::string_view text) {
       return addSteps(line.compile.dumpAfter, text);
     }},
    {"disable", runAndVerify, "STEP,...", "leave out steps that an answer does not need",
     [](CommandLine &line, std::string_view text) { return addSteps(line.compile.disable, text); }},
    {"timing", onRun, "", "print the time of each compile step", turnOn<&CommandLine::timing>},
    {"time-kernels", onRun, "", "print the time of each kernel", turnOn<&CommandLine::timeSteps>},
    {"plan", onRun, "", "print the plan", turnOn<&CommandLine::showPlan>},
    {"explain", onRun, "", "print why each kernel was chosen and what the others cost",
     turnOn<&CommandLine::explain>},
    {"quiet", onRun, "", "do not print output values", turnOn<&CommandLine::quiet>},
    {"json", onInspect, "", "print JSON", turnOn<&CommandLine::json>},
    {"per-node", onVerify, "", "compare every node of the model, not only the outputs",
     turnOn<&CommandLine::perNode>},
};

static void printHelp(const CommandInfo &command) {
  fmt::print("zyxc {0}: {1}\n\nusage: zyxc {0}{2}\n\noptions:\n", command.name, command.help,
             command.takesModel ? " [options] MODEL" : "");
  for (const Option &option : optionTable) {
    if (option.commands & command.bit) {
      std::string_view space = option.value.empty() ? "" : " ";
      fmt::print("  --{}{}{}\n      {}\n", option.name, space, option.value, option.help);
    }
  }
  fmt::print("  --help\n      print this\n");
}

static const Option *findOption(std::string_view name, const CommandInfo &command) {
  for (const Option &option : optionTable) {
    if (option.name == name && option.commands & command.bit) {
      return &option;
    }
  }
  return nullptr;
}

/// Takes an option, and its value from the arguments that follow; returns how many it took.
static Expected<size_t> parseOption(CommandLine &line, const CommandInfo &command,
                                    std::span<char *const> arguments) {
  std::string_view text = arguments[0];
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  const Option *option = findOption(name, command);
  if (!option) {
    return makeError(ErrorCode::Usage, "zyxc {} has no option '{}': see zyxc {} --help",
                     command.name, arguments[0], command.name);
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
      return makeError(ErrorCode::Usage, "--{} needs a value: {}", name, option->value);
    }
    value = arguments[1];
    taken = 2;
  }
  Status status = option->set(line, value);
  if (!status.isOk()) {
    return std::move(status).withContext(fmt::format("--{}={}", name, value));
  }
  return taken;
}

static Expected<CommandLine> parseArguments(const CommandInfo &command,
                                            std::span<char *const> arguments) {
  CommandLine line;
  line.command = command.command;
  line.compile.threads = 0;
  bool optionsEnded = false;
  bool haveModel = false;
  for (size_t i = 0; i < arguments.size();) {
    std::string_view text = arguments[i];
    if (!optionsEnded && text == "--") {
      optionsEnded = true;
      ++i;
    } else if (!optionsEnded && text.starts_with("-") && text.size() > 1) {
      ZYXC_ASSIGN(size_t taken, parseOption(line, command, arguments.subspan(i)));
      i += taken;
    } else {
      if (haveModel || !command.takesModel) {
        return makeError(ErrorCode::Usage, "'{}': zyxc {} takes {}", text, command.name,
                         command.takesModel ? "one model" : "no model");
      }
      line.model = text;
      haveModel = true;
      ++i;
    }
  }
  if (command.takesModel && !haveModel) {
    return makeError(ErrorCode::Usage, "no model is given: zyxc {} MODEL", command.name);
  }
  if (line.compile.threads == 0) {
    line.compile.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  return line;
}

Expected<CommandLine> parseCommandLine(int argc, char **argv, bool &done) {
  std::span<char *const> arguments(argv, static_cast<size_t>(argc));
  std::string_view first = argc > 1 ? argv[1] : "--help";
  done = true;
  if (first == "--version") {
    fmt::print("zyxc {}\n", version());
    return CommandLine();
  }
  if (first == "--help" || first == "-h" || first == "help") {
    fmt::print("{}", overview);
    return CommandLine();
  }
  for (const CommandInfo &command : commandTable) {
    if (command.name != first) {
      continue;
    }
    for (std::string_view argument : arguments.subspan(2)) {
      if (argument == "--help" || argument == "-h") {
        printHelp(command);
        return CommandLine();
      }
    }
    done = false;
    return parseArguments(command, arguments.subspan(2));
  }
  return makeError(ErrorCode::Usage,
                   "unknown command '{}': use run, inspect, verify, doctor or kernel", first);
}

} // namespace zyxc::tool
