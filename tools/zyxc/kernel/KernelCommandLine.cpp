#include "dialects/zyxk/target/Target.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/run/Actions.h"
#include <thread>

namespace zyxc::tool {

namespace {

/// Actions that take an option, as bits.
constexpr unsigned onCheck = 1, onTime = 2, onEmit = 4, onSchedules = 8, onBundle = 16,
                   onCompile = 32, onAll = 63;

constexpr Action<KernelLine> actions[] = {
    {"check", onCheck, oneFile,
     "compare compiled kernels with the interpreter over a grid of sizes", checkKernels},
    {"time", onTime, oneFile, "time a kernel beside a copy of as many bytes", timeKernels},
    {"compile", onCompile, oneFile, "time the steps from a kernel to machine code",
     timeCompilation},
    {"emit", onEmit, oneFile, "print a kernel in one of the forms on its way to machine code",
     emitKernel},
    {"schedules", onSchedules, oneFile, "list the schedules of a kernel on a target, best first",
     printSchedules},
    {"bundle", onBundle, oneFile,
     "write the code and the launches of a kernel for an NVIDIA GPU to files", bundleKernels},
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

static constexpr ActionOption<KernelLine> options[] = {
    {"kernel", onAll, "NAME", "the kernel of this name (default: all of the file)",
     setText<&KernelLine::kernel>},
    {"dim", onAll, "N=64,..", "values of dims; check varies those that are not given", addDims},
    {"schedule", onCheck | onTime | onCompile | onEmit | onBundle, "'#zyxk.row<vec = 8>'|none",
     "replace the kernel's schedule; none: the target's default", setText<&KernelLine::schedule>},
    {"target", onAll, "NAME", "host (default), host-avx2, sm_80, sm_90a, vulkan, ...", setTarget},
    {"threads", onCheck | onTime, "N", "threads of the host (default 1; 0: all cores)",
     setInRange<&KernelLine::threads, 0, 1024>},
    {"sizes", onCheck, "N", "check at most this many sizes (default 40)",
     setInRange<&KernelLine::sizes, 1, 100'000>},
    {"non-finite", onCheck, "N",
     "one element of N of float inputs is infinite or NaN (default 0: none)",
     setInRange<&KernelLine::nonFinite, 0, 1'000'000'000>},
    {"work", onCheck, "X", "work of the interpreter, in evaluations of ops (default 1e8)",
     setInRange<&KernelLine::work, 1.0, 1e15>},
    {"seed", onCheck | onTime, "N", "seed of inputs and of random sizes (default 0)",
     setInRange<&KernelLine::seed, 0, UINT64_MAX>},
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
     setInRange<&KernelLine::repeat, 1, 1'000'000>},
    {"tsv", onTime | onCompile, "", "print tab-separated values", turnOn<&KernelLine::tsv>},
    {"assemble-for", onCompile, "sm_..",
     "the architecture that ptxas assembles for (default: --target)",
     setText<&KernelLine::assembleFor>},
    {"emit", onEmit, "FORM", "zyxk (default), mlir, llvm, asm, ptx, sass, spirv or words",
     setText<&KernelLine::emit>},
    {"out", onBundle, "FOLDER", "where NAME.json and NAME.cubin go", setText<&KernelLine::out>},
};

/// Options against each other; the threads of this machine.
static Status finishLine(KernelLine &line) {
  if (line.open && findTarget(line.target)->kind != TargetKind::Host) {
    return makeError(ErrorCode::Usage,
                     "--open: only the host takes kernels whose dims have no size");
  }
  if (line.threads == 0) {
    line.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  return Status::ok();
}

static constexpr ActionCommand<KernelLine> command = {
    .name = "zyxc kernel",
    .help = "single kernels of the zyxk dialect",
    .notes = "FILE is a module of zyxk.kernel and zyxk.program ops. Exit codes: 0 ok, 2 usage,\n"
             "3 input unreadable, 4 the target cannot run the kernel, 5 it differs from the "
             "interpreter,\n"
             "7 device, 10 compiled, not run: no device.\n",
    .actions = actions,
    .options = options,
    .finish = finishLine,
};

Status kernelCommand(std::span<char *const> arguments) {
  return runActions(command, arguments);
}

} // namespace zyxc::tool
