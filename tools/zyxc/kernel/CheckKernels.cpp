// `zyxc kernel check`: compiled kernels against the interpreter.
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelCompare.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include "tools/zyxc/kernel/PortData.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;

namespace zyxc::tool {

/// Runs of a size, each with inputs of its own.
static constexpr unsigned runsPerSize = 2;
/// What an element of a port costs (to be made, copied and compared), in evaluations of ops.
static constexpr double elementWork = 30;
/// Sizes that differ are printed up to this many.
static constexpr int maxReported = 8;

namespace {

/// What came of one kernel.
struct Tally {
  int sizes = 0;
  int runs = 0;
  int differing = 0; ///< sizes
  int leftOut = 0;   ///< sizes whose work is over what was given
  double work = 0;
  double largest = 0; ///< error, as a share of what is allowed
};

/// Checks one kernel.
class KernelCheck {
public:
  KernelCheck(KernelFile &file, KernelOp kernel, const KernelLine &line, KernelTarget &target)
      : file(file), kernel(kernel), line(line), target(target) {}

  Status run();

private:
  double workOf(const DimValues &dims);
  Status checkSize(const DimValues &dims);
  Status checkRun(BoundKernel &bound, const KernelInterpreter &interpreter, KernelRunner &runner,
                  unsigned number, std::string &difference);
  std::string nameOf(const DimValues &dims);
  void report(const std::string &name, const std::string &text) const;
  Status finish();

  KernelFile &file;
  KernelOp kernel;
  const KernelLine &line;
  KernelTarget &target;
  Tally tally;
};

} // namespace

std::string KernelCheck::nameOf(const DimValues &dims) {
  std::string name = "@" + kernel.getSymName().str();
  return dims.empty() ? name : name + " " + describeDims(kernel, dims);
}

/// One set of inputs. `difference` stays empty if the answers agree.
Status KernelCheck::checkRun(BoundKernel &bound, const KernelInterpreter &interpreter,
                             KernelRunner &runner, unsigned number, std::string &difference) {
  const std::vector<KernelPort> &ports = interpreter.ports();
  uint64_t seed = line.seed * runsPerSize + number;
  ZYXC_ASSIGN(std::vector<Tensor> inputs,
              makePorts(bound.kernel, ports, portUses(bound.kernel), seed));
  PortBytes memory;
  for (size_t i = 0; i < ports.size(); ++i) {
    memory.push_back(toMemory(bound.kernel.getPortType(i), inputs[i]));
  }
  PortBytes before = memory;
  ZYXC_RETURN_IF_ERROR(interpreter.run(inputs)); // now what is expected
  Status status = runner.run(memory, number);
  if (status.code() == ErrorCode::Verification) {
    difference = status.message();
    return Status::ok();
  }
  ZYXC_RETURN_IF_ERROR(std::move(status));
  KernelTolerance tolerance = toleranceOf(bound.kernel);
  for (size_t i = 0; i < ports.size() && difference.empty(); ++i) {
    if (ports[i].mode == PortMode::In && memory[i] != before[i]) {
      difference = fmt::format("port {} is an input, but was written", i);
    }
    if (ports[i].mode == PortMode::In || ports[i].mode == PortMode::Scratch) {
      continue;
    }
    Tensor actual = fromMemory(bound.kernel.getPortType(i), memory[i], ports[i].type);
    PortDifference port = comparePort(actual, inputs[i], tolerance);
    tally.largest = std::max(tally.largest, port.largest);
    if (port.mismatches) {
      difference = fmt::format("port {} {}", i, port.text);
    }
  }
  return Status::ok();
}

void KernelCheck::report(const std::string &name, const std::string &text) const {
  fmt::print("{}: {}\n", name, text);
}

/// Work of the interpreter and of making and comparing ports, all runs of a size.
double KernelCheck::workOf(const DimValues &dims) {
  auto interpreter = KernelInterpreter::create(kernel, dims);
  if (!interpreter) {
    return 0; // the error is reported when the size is checked
  }
  double work = interpreter->work();
  for (const KernelPort &port : interpreter->ports()) {
    work += elementWork * static_cast<double>(port.type.numElements());
  }
  return work * runsPerSize;
}

Status KernelCheck::checkSize(const DimValues &dims) {
  auto interpreter = KernelInterpreter::create(kernel, dims);
  if (!interpreter) {
    return std::move(interpreter).error().withContext(nameOf(dims));
  }
  double work = workOf(dims);
  if (tally.work + work > line.work && tally.sizes > 0) {
    ++tally.leftOut;
    return Status::ok();
  }
  tally.work += work;
  ++tally.sizes;
  ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims, line.target));
  auto runner = target.compile(bound.text, bound.kernel);
  if (!runner) {
    return std::move(runner).error().withContext(nameOf(dims));
  }
  std::string difference;
  bool runs = !line.compileOnly && target.deviceMissing().empty();
  for (unsigned number = 0; runs && number < runsPerSize && difference.empty(); ++number) {
    ++tally.runs;
    Status status = checkRun(bound, *interpreter, **runner, number, difference);
    if (!status.isOk()) {
      return std::move(status).withContext(nameOf(dims));
    }
  }
  std::string resources = (*runner)->resources();
  if (!difference.empty()) {
    if (tally.differing++ < maxReported) {
      report(nameOf(dims), difference);
    }
  } else if (line.verbose) {
    report(nameOf(dims),
           (runs ? "agrees" : "compiled") + (resources.empty() ? "" : "; " + resources));
  }
  return Status::ok();
}

Status KernelCheck::finish() {
  std::string left = tally.leftOut
                         ? fmt::format("; {} size{} left out: too much work for --work={:g}",
                                       tally.leftOut, tally.leftOut == 1 ? "" : "s", line.work)
                         : "";
  std::string what = fmt::format("@{} on {}: {} size{}", kernel.getSymName().str(), line.target,
                                 tally.sizes, tally.sizes == 1 ? "" : "s");
  if (line.compileOnly || !target.deviceMissing().empty()) {
    fmt::print("compiled {}{}\n", what, left);
    return Status::ok();
  }
  if (tally.differing) {
    return makeError(ErrorCode::Verification, "{}: {}, {} of them differ from the interpreter",
                     line.file, what, tally.differing);
  }
  fmt::print("checked {}, {} runs: all agree with the interpreter (largest error {:.2g} of what "
             "is allowed{})\n",
             what, tally.runs, tally.largest, left);
  return Status::ok();
}

Status KernelCheck::run() {
  ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
  GridRequest request;
  request.given = line.dims;
  request.count = line.sizes;
  request.seed = line.seed;
  auto work = [&](const DimValues &dims) {
    return workOf(dims);
  };
  request.work = work;
  request.budget = line.work;
  ZYXC_ASSIGN(DimGrid grid, dimGrid(kernel, request));
  tally.leftOut = grid.leftOut;
  for (const DimValues &dims : grid.sizes) {
    ZYXC_RETURN_IF_ERROR(checkSize(dims));
  }
  return finish();
}

Status checkKernels(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  ZYXC_ASSIGN(auto target,
              KernelTarget::open(line.target, {line.threads, line.validate, line.simulate}));
  for (KernelOp kernel : kernels) {
    Status status = KernelCheck(file, kernel, line, *target).run();
    if (!status.isOk()) {
      bool named = status.message().starts_with(line.file);
      return named ? std::move(status) : std::move(status).withContext(line.file);
    }
  }
  std::string missing = target->deviceMissing();
  if (!missing.empty() && !line.compileOnly) {
    return makeError(ErrorCode::NotRun, "{}: compiled, not run: {}", line.file, missing);
  }
  return Status::ok();
}

} // namespace zyxc::tool
