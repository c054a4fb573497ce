#include "tools/zyxc/CommandLine.h"
#include "compiler/import/TensorProtoFile.h"
#include "runtime/devices/open/OpenGpu.h"
#include "tools/zyxc/EmitForms.h"
#include <algorithm>

namespace zyxc::tool {

static constexpr std::string_view overview =
    "zyxc: compiles and runs saved tensor graphs\n\n"
    "  zyxc run MODEL      compile, run, print the outputs\n"
    "  zyxc compile MODEL  compile to a file that runs without the compiler, or print what it "
    "makes\n"
    "  zyxc inspect MODEL  inputs, outputs and unsupported operators\n"
    "  zyxc verify MODEL   compare a target with the reference interpreter\n"
    "  zyxc explain MODEL  say why each kernel was chosen, as text, JSON or a page\n"
    "  zyxc doctor         say what this machine lacks\n"
    "  zyxc cost-model check MODEL  time kernels beside their estimates\n"
    "  zyxc kernel ACTION  check, time or print single kernels: see zyxc kernel --help\n"
    "  zyxc egraph ACTION  saturate terms with rules, explain, extract: see zyxc egraph --help\n"
    "  zyxc rules ACTION   check or list rewrite rules: see zyxc rules --help\n\n"
    "MODEL is an ONNX file or a module of the zyx dialect (.mlir). run and inspect take compiled\n"
    "plans (.zyxp), too; zyxc-run runs them without the compiler.\n"
    "Exit codes: 0 ok, 2 usage, 3 input unreadable, 4 unsupported, 5 verification failed,\n"
    "6 output differs from --expect, 7 device, 8 out of memory, 9 internal error,\n"
    "10 compiled, not run: no device.\n\n"
    "Options of a command: zyxc COMMAND --help\n";

/// Commands that take an option, as bits.
static constexpr unsigned onRun = 1, onInspect = 2, onVerify = 4, onDoctor = 8, onCompile = 16,
                          onExplain = 32, onCostModel = 64;
static constexpr unsigned onModels = onRun | onVerify | onCompile | onExplain | onCostModel;

namespace {

struct CommandInfo {
  std::string_view name;
  Command command;
  unsigned bit;
  bool takesModel;
  std::string_view help;
};

} // namespace

static constexpr CommandInfo commandTable[] = {
    {"run", Command::Run, onRun, true, "compile and run a model, or run a compiled plan"},
    {"compile", Command::Compile, onCompile, true,
     "compile a model to a plan that runs without the compiler"},
    {"inspect", Command::Inspect, onInspect, true,
     "print a model's inputs, outputs and unsupported operators"},
    {"verify", Command::Verify, onVerify, true, "compare a target with the reference interpreter"},
    {"explain", Command::Explain, onExplain, true,
     "say why each kernel was chosen, what it was made of, and what the others cost"},
    {"doctor", Command::Doctor, onDoctor, false, "say what this machine lacks"},
    {"cost-model check", Command::CostModel, onCostModel, true,
     "time each kernel of a model beside what the cost model says of it"},
};

static constexpr TensorFormat tensorFormats[] = {{".pb", readTensorProto, writeTensorProto}};

CommandLine::CommandLine() {
  files = TensorFiles(tensorFormats);
}

bool isGiven(const CommandLine &line, std::string_view option) {
  return std::find(line.given.begin(), line.given.end(), option) != line.given.end();
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

/// Where a model runs.
static Status setTarget(CommandLine &line, std::string_view text) {
  if (!line.target.empty()) {
    return makeError(ErrorCode::Usage, "it is given twice, {} is the other: give one", line.target);
  }
  line.target = text;
  if (text == "interp") {
    return Status::ok();
  }
  // A plan's file may have targets that this zyxc does not make; a GPU without more is this
  // machine's.
  bool isGpuOfHere = rt::isGpuTarget(text) && text.find(':') == text.npos;
  if (isGpuOfHere || HostTarget::isOfModel(text)) {
    return Status::ok();
  }
  if (!rt::isGpuTarget(text)) {
    return makeError(ErrorCode::Usage, "use interp or cpu, cpu:native, cpu:x86-64-v3, "
                                       "cpu:x86-64-v4, cuda, vulkan");
  }
  ZYXC_ASSIGN([[maybe_unused]] ModelTarget target, ModelTarget::named(text));
  return Status::ok();
}

/// The target of an explanation: none is needed to be at hand.
static Status setExplainedTarget(CommandLine &line, std::string_view text) {
  if (!line.target.empty()) {
    return makeError(ErrorCode::Usage, "it is given twice, {} is the other: give one", line.target);
  }
  line.target = text;
  ZYXC_ASSIGN([[maybe_unused]] ModelTarget target, ModelTarget::named(text));
  return Status::ok();
}

static Status setFileName(std::string &name, std::string_view text) {
  name = text;
  return text.empty() ? makeError(ErrorCode::Usage, "give a file name") : Status::ok();
}

/// One of the targets that a file holds code for.
static Status addTarget(CommandLine &line, std::string_view text) {
  ZYXC_ASSIGN([[maybe_unused]] ModelTarget target, ModelTarget::named(text));
  auto sameCode = [&](const std::string &other) {
    return ModelTarget::fullName(other) == ModelTarget::fullName(text);
  };
  if (std::any_of(line.targets.begin(), line.targets.end(), sameCode)) {
    return makeError(ErrorCode::Usage, "the target is given twice");
  }
  line.targets.emplace_back(text);
  return Status::ok();
}

static Status setStopAfter(CommandLine &line, std::string_view text) {
  line.compile.stopAfter = text;
  return isStep(text) ? Status::ok()
                      : makeError(ErrorCode::Usage, "no such step; steps are {}", stepList());
}

static Status setEmit(CommandLine &line, std::string_view text) {
  line.emit = text;
  return findForm(text) ? Status::ok() : makeError(ErrorCode::Usage, "{}", noSuchForm(text));
}

static Status setBlasUse(CommandLine &line, std::string_view text) {
  line.blasUse = text == "always" ? kernelize::LibraryUse::Always : kernelize::LibraryUse::Cheaper;
  return text == "always" || text == "cheaper"
             ? Status::ok()
             : makeError(ErrorCode::Usage, "use cheaper or always");
}

static Status setNumerics(CommandLine &line, std::string_view text) {
  ZYXC_ASSIGN(line.compile.numerics, rules::parseNumerics(text));
  return Status::ok();
}

/// Which commands take an option of runs.
static unsigned commandsOf(std::string_view runOption) {
  static constexpr std::pair<std::string_view, unsigned> table[] = {
      {"input", onModels},
      {"dim", onModels},
      {"rtol", onRun | onVerify},
      {"atol", onRun | onVerify},
      {"threads", onModels},
      {"seed", onRun | onVerify | onCostModel},
      {"repeat", onRun | onCostModel},
      {"memory-limit", onModels},
      {"library", onModels},
      {"blas", onModels},
      {"target", 0 /* below */},
      {"validate", onRun | onVerify},
      {"simulate", onRun | onVerify},
  };
  for (const auto &[name, commands] : table) {
    if (name == runOption) {
      return commands;
    }
  }
  return onRun;
}

static Status setCosts(CommandLine &line, std::string_view text) {
  ZYXC_ASSIGN(cost::MeasuredCosts costs, cost::MeasuredCosts::load(std::string(text)));
  line.compile.measuredCosts = std::make_shared<cost::MeasuredCosts>(std::move(costs));
  return Status::ok();
}

static Status setCostsFile(CommandLine &line, std::string_view text) {
  return setFileName(line.costsFile, text);
}

/// The options of a command, bound to `line`.
static std::vector<Option> optionsOf(const CommandInfo &command, CommandLine &line) {
  std::vector<Option> options;
  auto add = [&](unsigned commands, Option option) {
    if (commands & command.bit) {
      options.push_back(std::move(option));
    }
  };
  auto bound = [&line](Status (*set)(CommandLine &, std::string_view)) {
    return [&line, set](std::string_view text) {
      return set(line, text);
    };
  };
  for (Option &option : runOptions(line)) {
    unsigned commands = commandsOf(option.name);
    add(commands, std::move(option));
  }
  add(onRun | onVerify | onCostModel,
      {"target", "interp|cpu[:native|:x86-64-v3|:x86-64-v4]|vulkan[:1.2]|cuda[:sm_90]",
       "where to run (default cpu: this processor; of a plan, the best of its targets)",
       bound(setTarget)});
  add(onCompile, {"target", "cpu[:native|:x86-64-v3|:x86-64-v4]|cuda:sm_90|vulkan:1.2",
                  "what to make code for (default cpu: this processor); may be given several times",
                  bound(addTarget)});
  add(onExplain,
      {"target", "cpu[:native|:x86-64-v3|:x86-64-v4]|cuda:sm_90|vulkan:1.2",
       "the target of the plan (default cpu: this processor)", bound(setExplainedTarget)});
  add(onCompile, {"o", "FILE.zyxp", "write the plan to a file",
                  [&line](std::string_view text) { return setFileName(line.planFile, text); }});
  add(onExplain, {"html", "FILE.html", "write a page with both graphs to a file, and print nothing",
                  [&line](std::string_view text) { return setFileName(line.page, text); }});
  add(onExplain, {"node", "NAME", "only the kernels that this node of the model went into",
                  [&line](std::string_view text) {
                    line.node = text;
                    return text.empty() ? makeError(ErrorCode::Usage, "give a node's name")
                                        : Status::ok();
                  }});
  add(onCompile, {"emit", "zyx|egraph|zyxk|mlir|llvm|asm|plan",
                  "print what a step makes, to standard output", bound(setEmit)});
  add(onModels,
      listOption("bind", "[name=]@file", "make an input a compile-time constant", line.bindings));
  add(onModels,
      {"blas-when", "cheaper|always",
       "where --blas takes a function of the library (default cheaper)", bound(setBlasUse)});
  add(onModels, {"costs", "FILE", "times of kernels, for their estimates", bound(setCosts)});
  add(onCostModel, {"save", "FILE", "write the times to a file for --costs", bound(setCostsFile)});
  add(onModels, {"numerics", "exact|reorder|approx|algebra",
                 "what may change in rounding (default approx)", bound(setNumerics)});
  add(onModels, listOption("rules", "FILE", "rewrite rules beside those that are built in",
                           line.compile.ruleFiles));
  add(onRun, {"stop-after", "STEP", "end the pipeline after a step", bound(setStopAfter)});
  add(onModels,
      {"dump-after", "STEP,...", "print what a step made, to standard error",
       [&line](std::string_view text) { return addSteps(line.compile.dumpAfter, text); }});
  add(onRun, switchOption("explain-rules",
                          "let the dump of rules say by which ones the program is what it is",
                          line.compile.explainRules));
  add(onModels, {"disable", "STEP,...", "leave out steps that an answer does not need",
                 [&line](std::string_view text) { return addSteps(line.compile.disable, text); }});
  add(onRun | onCompile,
      switchOption("timing", "print the time of each compile step", line.timing));
  add(onRun | onCompile,
      switchOption("explain", "print why each kernel was chosen and what the others cost",
                   line.compile.explain));
  add(onInspect | onExplain, switchOption("json", "print JSON", line.json));
  add(onVerify, switchOption("per-node", "compare every node of the model, not only the outputs",
                             line.perNode));
  add(onVerify,
      switchOption("open", "compile once for all sizes of open dims, compare at many", line.open));
  return options;
}

static Status parseArguments(const CommandInfo &command, std::span<char *const> arguments,
                             CommandLine &line) {
  line.command = command.command;
  std::vector<Option> options = optionsOf(command, line);
  std::string name = fmt::format("zyxc {}", command.name);
  ZYXC_ASSIGN(Arguments parsed, parseOptions(name, options, arguments));
  if (parsed.operands.size() > size_t(command.takesModel)) {
    return makeError(ErrorCode::Usage, "'{}': {} takes {}", parsed.operands.back(), name,
                     command.takesModel ? "one model" : "no model");
  }
  if (command.takesModel && parsed.operands.empty()) {
    return makeError(ErrorCode::Usage, "no model is given: {} MODEL", name);
  }
  line.model = command.takesModel ? parsed.operands.front() : "";
  line.given = std::move(parsed.given);
  useAllCores(line);
  if (line.command == Command::CostModel && !isGiven(line, "repeat")) {
    line.repeat = 10;
  }
  if (line.target.empty() && !isPlanFile(line.model)) {
    line.target = "cpu";
  }
  line.compile.target = line.target;
  line.compile.threads = line.threads;
  line.compile.memoryLimit = line.memoryLimit;
  line.compile.useLibraries = !line.libraries.empty();
  line.compile.blas = line.blas.empty() ? kernelize::LibraryUse::Off : line.blasUse;
  return Status::ok();
}

Status parseCommandLine(std::span<char *const> arguments, CommandLine &line, bool &done) {
  std::string_view first = arguments.size() > 1 ? arguments[1] : "--help";
  done = true;
  if (first == "--version") {
    fmt::print("zyxc {}\n", version());
    return Status::ok();
  }
  if (first == "--help" || first == "-h" || first == "help") {
    fmt::print("{}", overview);
    return Status::ok();
  }
  if (first == "cost-model") { // the only command with an action that takes a model
    std::string_view action = arguments.size() > 2 ? arguments[2] : "";
    if (action != "check") {
      return makeError(ErrorCode::Usage, "zyxc cost-model has no action '{}': use check", action);
    }
    first = "cost-model check";
    arguments = arguments.subspan(1);
  }
  for (const CommandInfo &command : commandTable) {
    if (command.name != first) {
      continue;
    }
    if (wantsHelp(arguments.subspan(2))) {
      fmt::print("zyxc {0}: {1}\n\nusage: zyxc {0}{2}\n\noptions:\n", command.name, command.help,
                 command.takesModel ? " [options] MODEL" : "");
      printOptions(optionsOf(command, line));
      return Status::ok();
    }
    done = false;
    return parseArguments(command, arguments.subspan(2), line);
  }
  return makeError(ErrorCode::Usage,
                   "unknown command '{}': use run, compile, inspect, verify, explain, doctor, "
                   "cost-model, kernel, egraph or rules",
                   first);
}

} // namespace zyxc::tool
