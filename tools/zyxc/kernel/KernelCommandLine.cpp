#include "dialects/zyxk/target/Target.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/run/OptionText.h"
#include <algorithm>
#include <fmt/core.h>
#include <thread>

namespace zyxc::tool {

namespace {

/// Actions that take an option, as bits.
constexpr unsigned onCheck = 1, onTime = 2, onEmit = 4, onSchedules = 8, onBundle = 16,
                   onCompile = 32, onAll = 63;

struct Action {
  std::string_view name;
  unsigned bit;
  std::string_view help;
  Status (*run)(const KernelLine &line);
};

constexpr Action actions[] = {
    {"check", onCheck, "compare compiled kernels with the interpreter over a grid of sizes",
     checkKernels},
    {"time", onTime, "time a kernel beside a copy of as many bytes", timeKernels},
    {"compile", onCompile, "time the steps from a kernel to machine code", timeCompilation},
    {"emit", onEmit, "print a kernel in one of the forms on its way to machine code", emitKernel},
    {"schedules", onSchedules, "list the schedules of a kernel on a target, best first",
     printSchedules},
    {"bundle", onBundle, "write the code and the launches of a kernel for an NVIDIA GPU to files",
     bundleKernels},
};

struct Option {
  std::string_view name;
  unsigned actions;
  std::string_view value; ///< what the help calls its value; empty for a switch
  std::string_view help;
  Status (*set)(KernelLine &line, std::string_view text);
};

} // namespace

/// "N=4,M=8".
static Status addDims(KernelLine &line, std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    size_t equals = part.find('=');
    int64_t value = 0;
    constexpr int64_t most = int64_t(1) << 40;
    if (equals == part.npos || equals == 0 ||
        !setNumber<int64_t>(value, part.substr(equals + 1), 0, most).isOk()) {
      return makeError(ErrorCode::Usage, "write it as N=64 or M=64,N=3, each from 0 to {}", most);
    }
    line.dims[std::string(part.substr(0, equals))] = value;
    begin = end + 1;
  }
  return Status::ok();
}

static Status setTarget(KernelLine &line, std::string_view text) {
  line.target = text;
  return findTarget(text) ? Status::ok()
                          : makeError(ErrorCode::Usage, "use one of {}", targetNames());
}

/// A switch that sets a member.
template <bool KernelLine::*member> static Status turnOn(KernelLine &line, std::string_view) {
  line.*member = true;
  return Status::ok();
}

template <std::string KernelLine::*member>
static Status setText(KernelLine &line, std::string_view text) {
  line.*member = text;
  return Status::ok();
}

static constexpr Option options[] = {
    {"kernel", onAll, "NAME", "the kernel of this name (default: all of the file)",
     setText<&KernelLine::kernel>},
    {"dim", onAll, "N=64,..", "values of dims; check varies those that are not given", addDims},
    {"schedule", onCheck | onTime | onCompile | onEmit | onBundle, "'#zyxk.row<vec = 8>'|none",
     "replace the kernel's schedule; none: the target's default", setText<&KernelLine::schedule>},
    {"target", onAll, "NAME", "host (default), host-avx2, sm_80, sm_90a, vulkan, ...", setTarget},
    {"threads", onCheck | onTime, "N", "threads of the host (default 1; 0: all cores)",
     [](KernelLine &line, std::string_view text) {
       return setNumber(line.threads, text, 0, 1024);
     }},
    {"sizes", onCheck, "N", "check at most this many sizes (default 40)",
     [](KernelLine &line, std::string_view text) {
       return setNumber(line.sizes, text, 1, 100'000);
     }},
    {"non-finite", onCheck, "N",
     "one element of N of float inputs is infinite or NaN (default 0: none)",
     [](KernelLine &line, std::string_view text) {
       return setNumber(line.nonFinite, text, 0, 1'000'000'000);
     }},
    {"work", onCheck, "X", "work of the interpreter, in evaluations of ops (default 1e8)",
     [](KernelLine &line, std::string_view text) { return setNumber(line.work, text, 1.0, 1e15); }},
    {"seed", onCheck | onTime, "N", "seed of inputs and of random sizes (default 0)",
     [](KernelLine &line, std::string_view text) {
       return setNumber<uint64_t>(line.seed, text, 0, UINT64_MAX);
     }},
    {"compile-only", onCheck, "", "compile, and do not run", turnOn<&KernelLine::compileOnly>},
    {"open", onCheck | onTime | onEmit, "",
     "host: compile once, without sizes of dims, which the code is given when it runs",
     turnOn<&KernelLine::open>},
    {"validate", onCheck, "", "vulkan: under the validation layer, whose messages are errors",
     turnOn<&KernelLine::validate>},
    {"simulate", onCheck, "", "sm_..: on a simulator of the GPU, for machines without one",
     turnOn<&KernelLine::simulate>},
    {"verbose", onCheck, "", "print a line per size", turnOn<&KernelLine::verbose>},
    {"repeat", onTime | onCompile, "N", "samples (default 20)",
     [](KernelLine &line, std::string_view text) {
       return setNumber(line.repeat, text, 1, 1'000'000);
     }},
    {"tsv", onTime | onCompile, "", "print tab-separated values", turnOn<&KernelLine::tsv>},
    {"assemble-for", onCompile, "sm_..",
     "the architecture that ptxas assembles for (default: --target)",
     setText<&KernelLine::assembleFor>},
    {"emit", onEmit, "FORM", "zyxk (default), mlir, llvm, asm, ptx, sass, spirv or words",
     setText<&KernelLine::emit>},
    {"out", onBundle, "FOLDER", "where NAME.json and NAME.cubin go", setText<&KernelLine::out>},
};

static void printOverview() {
  fmt::print("zyxc kernel: single kernels of the zyxk dialect\n\n");
  for (const Action &action : actions) {
    fmt::print("  zyxc kernel {:<10} FILE  {}\n", action.name, action.help);
  }
  fmt::print(
      "\nFILE is a module of zyxk.kernel and zyxk.program ops. Exit codes: 0 ok, 2 usage,\n"
      "3 input unreadable, 4 the target cannot run the kernel, 5 it differs from the interpreter,\n"
      "7 device, 10 compiled, not run: no device.\n\n"
      "Options of an action: zyxc kernel ACTION --help\n");
}

static void printHelp(const Action &action) {
  fmt::print("zyxc kernel {0}: {1}\n\nusage: zyxc kernel {0} [options] FILE\n\noptions:\n",
             action.name, action.help);
  for (const Option &option : options) {
    if (option.actions & action.bit) {
      fmt::print("  --{}{}{}\n      {}\n", option.name, option.value.empty() ? "" : " ",
                 option.value, option.help);
    }
  }
  fmt::print("  --help\n      print this\n");
}

/// Takes an option and its value; returns how many arguments it took.
static Expected<size_t> parseOption(KernelLine &line, const Action &action,
                                    std::span<char *const> arguments) {
  std::string_view text = arguments[0];
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals);
  const auto *option = std::find_if(std::begin(options), std::end(options), [&](const Option &o) {
    return o.name == name && o.actions & action.bit;
  });
  if (option == std::end(options)) {
    return makeError(ErrorCode::Usage,
                     "zyxc kernel {0} has no option '{1}': see zyxc kernel {0} --help", action.name,
                     arguments[0]);
  }
  size_t taken = 1;
  std::string_view value = equals == text.npos ? std::string_view() : text.substr(equals + 1);
  if (option->value.empty() && equals != text.npos) {
    return makeError(ErrorCode::Usage, "--{} takes no value", name);
  }
  if (!option->value.empty() && equals == text.npos) {
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

static Expected<KernelLine> parseLine(const Action &action, std::span<char *const> arguments) {
  KernelLine line;
  line.action = action.name;
  for (size_t i = 0; i < arguments.size();) {
    std::string_view text = arguments[i];
    if (text.starts_with("-") && text.size() > 1) {
      ZYXC_ASSIGN(size_t taken, parseOption(line, action, arguments.subspan(i)));
      i += taken;
      continue;
    }
    if (!line.file.empty()) {
      return makeError(ErrorCode::Usage, "'{}': zyxc kernel {} takes one file", text, action.name);
    }
    line.file = text;
    ++i;
  }
  if (line.file.empty()) {
    return makeError(ErrorCode::Usage, "no file is given: zyxc kernel {} FILE", action.name);
  }
  if (line.open && findTarget(line.target)->kind != TargetKind::Host) {
    return makeError(ErrorCode::Usage,
                     "--open: only the host takes kernels whose dims have no size");
  }
  if (line.threads == 0) {
    line.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  return line;
}

Status kernelCommand(std::span<char *const> arguments) {
  std::string_view first = arguments.empty() ? "--help" : arguments[0];
  if (first == "--help" || first == "-h" || first == "help") {
    printOverview();
    return Status::ok();
  }
  for (const Action &action : actions) {
    if (action.name != first) {
      continue;
    }
    for (std::string_view argument : arguments.subspan(1)) {
      if (argument == "--help" || argument == "-h") {
        printHelp(action);
        return Status::ok();
      }
    }
    ZYXC_ASSIGN(KernelLine line, parseLine(action, arguments.subspan(1)));
    return action.run(line);
  }
  return makeError(
      ErrorCode::Usage,
      "zyxc kernel has no action '{}': use check, time, compile, emit, schedules or bundle", first);
}

} // namespace zyxc::tool
