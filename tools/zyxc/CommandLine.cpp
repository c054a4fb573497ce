#include "tools/zyxc/CommandLine.h"
#include "runtime/support/Memory.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

namespace cl = llvm::cl;

namespace zyxc::tool {

static constexpr const char *overview =
    "zyxc: compiles and runs saved tensor graphs\n\n"
    "  zyxc run MODEL      compile, run, print the outputs\n"
    "  zyxc inspect MODEL  inputs, outputs and unsupported operators\n"
    "  zyxc verify MODEL   compare a target with the reference interpreter\n"
    "  zyxc doctor         say what this machine lacks\n\n"
    "MODEL is an ONNX file or a module of the zyx dialect (.mlir).\n"
    "Exit codes: 0 ok, 2 usage, 3 input unreadable, 4 unsupported, 5 verification failed,\n"
    "6 output differs from --expect, 7 device, 8 out of memory, 9 internal error.\n";

namespace {

/// The options as LLVM's command line library holds them. Lives only while argv is parsed, so that
/// nothing here is global.
struct Options {
  cl::OptionCategory category{"zyxc options"};
  cl::SubCommand run{"run", "Compile and run a model"};
  cl::SubCommand inspect{"inspect", "Print a model's inputs, outputs and unsupported operators"};
  cl::SubCommand verify{"verify", "Compare a target with the reference interpreter"};
  cl::SubCommand doctor{"doctor", "Say what this machine lacks"};

  cl::opt<std::string> runModel{cl::Positional, cl::desc("MODEL"), cl::Required, cl::sub(run)};
  cl::opt<std::string> inspectModel{cl::Positional, cl::desc("MODEL"), cl::Required,
                                    cl::sub(inspect)};
  cl::opt<std::string> verifyModel{cl::Positional, cl::desc("MODEL"), cl::Required,
                                   cl::sub(verify)};

  cl::list<std::string> input{"input",
                              cl::value_desc("[name=]@file.npy|@file.pb|random|zeros|ones|arange"),
                              cl::desc("Value of an input; what is not given is random"),
                              cl::sub(run),
                              cl::sub(verify),
                              cl::cat(category)};
  cl::list<std::string> bind{"bind",
                             cl::value_desc("[name=]@file"),
                             cl::desc("Make an input a compile-time constant"),
                             cl::sub(run),
                             cl::sub(verify),
                             cl::cat(category)};
  cl::list<std::string> expect{"expect", cl::value_desc("[name=]@file"),
                               cl::desc("Compare an output; exit code 6 if it differs"),
                               cl::sub(run), cl::cat(category)};
  cl::list<std::string> save{"output", cl::value_desc("[name=]@file.npy|@file.pb"),
                             cl::desc("Write an output to a file"), cl::sub(run),
                             cl::cat(category)};
  cl::opt<double> rtol{"rtol",          cl::desc("Relative tolerance (default 1e-3)"),
                       cl::init(1e-3),  cl::sub(run),
                       cl::sub(verify), cl::cat(category)};
  cl::opt<double> atol{
      "atol",
      cl::desc("Absolute tolerance (default rtol times the expected tensor's RMS)"),
      cl::init(-1),
      cl::sub(run),
      cl::sub(verify),
      cl::cat(category)};
  cl::opt<std::string> target{"target",
                              cl::value_desc("interp|cpu"),
                              cl::desc("Where to run (default cpu)"),
                              cl::init("cpu"),
                              cl::sub(run),
                              cl::sub(verify),
                              cl::cat(category)};
  cl::opt<int> threads{"threads",       cl::desc("Threads (default: all cores)"),
                       cl::init(0),     cl::sub(run),
                       cl::sub(verify), cl::cat(category)};
  cl::opt<int> repeat{"repeat", cl::desc("Run this often and print the times"), cl::init(1),
                      cl::sub(run), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed",          cl::desc("Seed of random inputs (default 0)"),
                         cl::init(0),     cl::sub(run),
                         cl::sub(verify), cl::cat(category)};
  cl::opt<std::string> numerics{"numerics",
                                cl::value_desc("exact|reorder|approx|algebra"),
                                cl::desc("What may change in rounding (default approx)"),
                                cl::init("approx"),
                                cl::sub(run),
                                cl::sub(verify),
                                cl::cat(category)};
  cl::opt<std::string> memoryLimit{"memory-limit",
                                   cl::value_desc("bytes, or 512M, 2G"),
                                   cl::desc("Refuse to plan more memory than this"),
                                   cl::sub(run),
                                   cl::sub(verify),
                                   cl::cat(category)};
  cl::opt<std::string> stopAfter{"stop-after", cl::value_desc("step"),
                                 cl::desc("End the pipeline after a step"), cl::sub(run),
                                 cl::cat(category)};
  cl::list<std::string> dumpAfter{
      "dump-after",       cl::value_desc("step,..."),
      cl::CommaSeparated, cl::desc("Print what a step made, to standard error"),
      cl::sub(run),       cl::sub(verify),
      cl::cat(category)};
  cl::list<std::string> disable{
      "disable",          cl::value_desc("step,..."),
      cl::CommaSeparated, cl::desc("Leave out steps that are not needed for an answer"),
      cl::sub(run),       cl::sub(verify),
      cl::cat(category)};
  cl::opt<bool> timing{"timing", cl::desc("Print the time of each compile step"), cl::sub(run),
                       cl::cat(category)};
  cl::opt<bool> timeSteps{"time-kernels", cl::desc("Print the time of each kernel"), cl::sub(run),
                          cl::cat(category)};
  cl::opt<bool> plan{"plan", cl::desc("Print the plan"), cl::sub(run), cl::cat(category)};
  cl::opt<bool> explain{"explain",
                        cl::desc("Print why each kernel was chosen and what others cost"),
                        cl::sub(run), cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("Do not print output values"), cl::sub(run),
                      cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print JSON"), cl::sub(inspect), cl::cat(category)};
  cl::opt<bool> perNode{"per-node",
                        cl::desc("Compare every node of the model, not only the outputs"),
                        cl::sub(verify), cl::cat(category)};
};

} // namespace

static std::vector<NamedValue> splitNames(const cl::list<std::string> &list) {
  std::vector<NamedValue> values;
  for (const std::string &text : list) {
    // A name may hold '=' only before "=@" or the last '='.
    size_t split = text.find("=@");
    if (split == std::string::npos && !text.starts_with("@")) {
      split = text.rfind('=');
    }
    if (split == std::string::npos) {
      values.push_back({"", text});
    } else {
      values.push_back({text.substr(0, split), text.substr(split + 1)});
    }
  }
  return values;
}

static Status checkStepNames(const std::vector<std::string> &steps, std::string_view flag) {
  for (const std::string &step : steps) {
    if (!isStep(step)) {
      return makeError(ErrorCode::Usage, "--{}={}: no such step; steps are {}", flag, step,
                       stepList());
    }
  }
  return Status::ok();
}

static Expected<CommandLine> collect(Options &options) {
  CommandLine line;
  line.command = options.inspect  ? Command::Inspect
                 : options.verify ? Command::Verify
                 : options.doctor ? Command::Doctor
                                  : Command::Run;
  line.model = options.inspect  ? options.inspectModel
               : options.verify ? options.verifyModel
                                : options.runModel;
  line.inputs = splitNames(options.input);
  line.bindings = splitNames(options.bind);
  line.expects = splitNames(options.expect);
  line.saves = splitNames(options.save);
  line.target = options.target;
  if (line.target != "cpu" && line.target != "interp") {
    return makeError(ErrorCode::Usage, "--target={}: use interp or cpu", line.target);
  }
  line.rtol = options.rtol;
  line.atol = options.atol;
  line.repeat = options.repeat;
  line.seed = options.seed;
  line.json = options.json;
  line.perNode = options.perNode;
  line.showPlan = options.plan;
  line.explain = options.explain;
  line.timing = options.timing;
  line.timeSteps = options.timeSteps;
  line.quiet = options.quiet;
  if (line.repeat < 1) {
    return makeError(ErrorCode::Usage, "--repeat={}: give a number above 0", line.repeat);
  }
  if (options.threads < 0 || options.threads > 1024) {
    return makeError(ErrorCode::Usage, "--threads={}: give a number from 1 to 1024, or 0 for all",
                     static_cast<int>(options.threads));
  }
  line.compile.threads = options.threads
                             ? static_cast<int>(options.threads)
                             : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  ZYXC_ASSIGN(line.compile.numerics, rules::parseNumerics(options.numerics.getValue()));
  if (!options.memoryLimit.empty()) {
    auto limit = parseBytes(options.memoryLimit);
    if (!limit || *limit == 0) {
      return makeError(ErrorCode::Usage, "--memory-limit={}: give bytes, or a number with K, M, G",
                       options.memoryLimit.getValue());
    }
    line.compile.memoryLimit = *limit;
  }
  line.compile.dumpAfter.assign(options.dumpAfter.begin(), options.dumpAfter.end());
  line.compile.disable.assign(options.disable.begin(), options.disable.end());
  ZYXC_RETURN_IF_ERROR(checkStepNames(line.compile.dumpAfter, "dump-after"));
  ZYXC_RETURN_IF_ERROR(checkStepNames(line.compile.disable, "disable"));
  if (!options.stopAfter.empty()) {
    line.compile.stopAfter = options.stopAfter;
    ZYXC_RETURN_IF_ERROR(checkStepNames({line.compile.stopAfter}, "stop-after"));
  }
  return line;
}

/// "--expect @file" as "--expect=@file": LLVM would take a lone @file as a response file.
static std::vector<std::string> joinFileValues(int argc, char **argv) {
  std::vector<std::string> arguments;
  for (int i = 0; i < argc; ++i) {
    std::string_view argument = argv[i];
    bool isValue = i > 1 && argument.starts_with("@") && arguments.back().starts_with("--") &&
                   arguments.back().find('=') == std::string::npos;
    if (isValue) {
      arguments.back() += "=" + std::string(argument);
    } else {
      arguments.emplace_back(argument);
    }
  }
  return arguments;
}

Expected<CommandLine> parseCommandLine(int argc, char **argv, bool &done) {
  auto options = std::make_unique<Options>();
  std::string_view first = argc > 1 ? argv[1] : "--help";
  if (first == "--version") {
    llvm::outs() << "zyxc " << version() << "\n";
    done = true;
    return CommandLine();
  }
  if (first == "--help" || first == "-h" || first == "help") {
    llvm::outs() << overview << "\nOptions of a command: zyxc COMMAND --help\n";
    done = true;
    return CommandLine();
  }
  if (first != "run" && first != "inspect" && first != "verify" && first != "doctor") {
    return makeError(ErrorCode::Usage, "unknown command '{}': use run, inspect, verify or doctor",
                     first);
  }
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--help" || std::string_view(argv[i]) == "-h") {
      done = true;
    }
  }
  for (cl::SubCommand *command :
       {&options->run, &options->inspect, &options->verify, &options->doctor}) {
    cl::HideUnrelatedOptions(options->category, *command);
  }
  std::string message;
  llvm::raw_string_ostream stream(message);
  // With --help this prints the help of the command and exits with 0.
  std::vector<std::string> arguments = joinFileValues(argc, argv);
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  if (!cl::ParseCommandLineOptions(static_cast<int>(pointers.size()), pointers.data(), overview,
                                   &stream)) {
    std::string_view line = std::string_view(message).substr(0, message.find('\n'));
    line.remove_prefix(line.starts_with("zyxc: ") ? 6 : 0); // printed before every error
    return makeError(ErrorCode::Usage, "{}", line);
  }
  return collect(*options);
}

} // namespace zyxc::tool
