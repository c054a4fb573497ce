// `zyxc kernel check`: compiled kernels against the interpreter.
#include "tools/zyxc/kernel/CheckUnit.h"
#include "tools/zyxc/kernel/KernelUnits.h"
#include <array>
#include <cstring>
#include <fmt/core.h>
#include <map>

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

/// Elements of an out port that nothing stores to, at the first size where there are some.
struct Unwritten {
  int64_t elements = 0;
  int64_t of = 0;
  std::string dims;
};

/// What came of one kernel.
struct Tally {
  int sizes = 0;
  int runs = 0;
  int differing = 0; ///< sizes
  int leftOut = 0;   ///< sizes whose work is over what was given
  double work = 0;
  double largest = 0;                    ///< error, as a share of what is allowed
  std::map<size_t, Unwritten> unwritten; ///< by port
};

/// Elements with the same bytes in two tensors of one type.
static int64_t countEqual(const Tensor &a, const Tensor &b) {
  int64_t equal = 0;
  size_t size = a.numElements() ? a.byteSize() / a.numElements() : 0;
  for (int64_t i = 0; i < a.numElements(); ++i) {
    equal += std::memcmp(a.data() + i * size, b.data() + i * size, size) == 0;
  }
  return equal;
}

/// Checks one kernel or program.
template <class Op> class KernelCheck {
public:
  KernelCheck(KernelFile &file, Op op, const KernelLine &line, KernelTarget &target)
      : file(file), op(op), line(line), target(target), opened(file, target) {}

  Status run();

private:
  double workOf(const DimValues &dims);
  Status checkSize(const DimValues &dims);
  Status checkRun(CheckUnit &unit, unsigned number, std::string &difference);
  bool isCounted(const CheckUnit &unit, size_t port);
  Status countUnwritten(const CheckUnit &unit, const DimValues &dims);
  std::string nameOf(const DimValues &dims);
  Status finish();

  KernelFile &file;
  Op op;
  const KernelLine &line;
  KernelTarget &target;
  OpenKernels opened;
  Tally tally;
  bool mayBeUnwritten = false; ///< of the size that is checked
};

} // namespace

template <class Op> std::string KernelCheck<Op>::nameOf(const DimValues &dims) {
  std::string name = "@" + op.getSymName().str();
  return dims.empty() ? name : name + " " + describeDims(op, dims);
}

/// One set of inputs. `difference` stays empty if the answers agree.
template <class Op>
Status KernelCheck<Op>::checkRun(CheckUnit &unit, unsigned number, std::string &difference) {
  uint64_t seed = line.seed * runsPerSize + number;
  ZYXC_ASSIGN(std::vector<Tensor> inputs,
              makePorts(unit.name, unit.ports, unit.uses, seed, line.nonFinite));
  PortBytes memory;
  for (size_t i = 0; i < unit.ports.size(); ++i) {
    memory.push_back(toMemory(unit.types[i], inputs[i]));
    if (unit.types[i].getLayout()) { // whose elements may share a place: they are equal
      inputs[i] = fromMemory(unit.types[i], memory[i], unit.ports[i].type);
    }
  }
  PortBytes before = memory;
  ZYXC_RETURN_IF_ERROR(unit.interpret(inputs)); // now what is expected
  for (size_t i = 0; i < unit.ports.size(); ++i) {
    mayBeUnwritten |= isCounted(unit, i) &&
                      countEqual(inputs[i], fromMemory(unit.types[i], before[i], inputs[i].type()));
  }
  Status status = unit.run(memory, number);
  if (status.code() == ErrorCode::Verification) {
    difference = status.message();
    return Status::ok();
  }
  ZYXC_RETURN_IF_ERROR(std::move(status));
  for (size_t i = 0; i < unit.ports.size() && difference.empty(); ++i) {
    PortMode mode = unit.ports[i].mode;
    if (mode == PortMode::In && memory[i] != before[i]) {
      difference = fmt::format("port {} is an input, but was written", i);
    }
    if (mode == PortMode::In || mode == PortMode::Scratch) {
      continue;
    }
    Tensor actual = fromMemory(unit.types[i], memory[i], unit.ports[i].type);
    ElementDifference port =
        comparePort(actual, inputs[i], unit.tolerance, static_cast<unsigned>(i));
    tally.largest = std::max(tally.largest, port.ofAllowed);
    if (port.mismatches) {
      difference = fmt::format("port {} {}", i, port.text);
    } else if (!sameGaps(unit.types[i], memory[i], before[i])) {
      difference = fmt::format("port {}: memory between its elements was written", i);
    }
  }
  return Status::ok();
}

/// Ports all of whose elements should be stored to, and of which it is not known that some are not.
template <class Op> bool KernelCheck<Op>::isCounted(const CheckUnit &unit, size_t port) {
  return unit.ports[port].mode == PortMode::Out && !unit.uses[port].isCombined &&
         !tally.unwritten.contains(port);
}

/// Elements that the interpreter leaves as they were, whatever that was.
template <class Op>
Status KernelCheck<Op>::countUnwritten(const CheckUnit &unit, const DimValues &dims) {
  std::array<std::vector<Tensor>, 2> answers;
  for (unsigned fill = 0; fill < 2; ++fill) {
    ZYXC_ASSIGN(answers[fill],
                makePorts(unit.name, unit.ports, unit.uses, line.seed * runsPerSize));
    for (size_t i = 0; i < unit.ports.size(); ++i) {
      if (unit.ports[i].mode == PortMode::Out) {
        const Tensor &tensor = answers[fill][i];
        std::memset(tensor.mutableData(), fill, tensor.byteSize());
      }
    }
    ZYXC_RETURN_IF_ERROR(unit.interpret(answers[fill]));
  }
  for (size_t i = 0; i < unit.ports.size(); ++i) {
    int64_t all = unit.ports[i].type.numElements();
    int64_t unwritten = isCounted(unit, i) ? all - countEqual(answers[0][i], answers[1][i]) : 0;
    if (unwritten) {
      tally.unwritten.emplace(i, Unwritten{unwritten, all, describeDims(op, dims)});
    }
  }
  return Status::ok();
}

/// Work of the interpreter and of making and comparing ports, all runs of a size.
template <class Op> double KernelCheck<Op>::workOf(const DimValues &dims) {
  double work = interpreterWork(op, dims);
  for (unsigned i = 0; i < op.getNumPorts(); ++i) {
    work += elementWork * static_cast<double>(portElements(op.getPortType(i), dims));
  }
  return work * runsPerSize;
}

template <class Op> Status KernelCheck<Op>::checkSize(const DimValues &dims) {
  double work = workOf(dims);
  if (tally.work + work > line.work && tally.sizes > 0) {
    ++tally.leftOut;
    return Status::ok();
  }
  tally.work += work;
  ++tally.sizes;
  auto unit = makeUnit(file, op, dims, line.target);
  if (!unit) {
    return std::move(unit).error().withContext(nameOf(dims));
  }
  Status compiled = line.open ? opened.compileUnit(*unit) : compileUnit(*unit, target);
  if (Status status = std::move(compiled); !status.isOk()) {
    return std::move(status).withContext(nameOf(dims));
  }
  std::string difference;
  mayBeUnwritten = false;
  bool runs = !line.compileOnly && target.deviceMissing().empty();
  for (unsigned number = 0; runs && number < runsPerSize && difference.empty(); ++number) {
    ++tally.runs;
    Status status = checkRun(*unit, number, difference);
    if (!status.isOk()) {
      return std::move(status).withContext(nameOf(dims));
    }
  }
  if (mayBeUnwritten) {
    ZYXC_RETURN_IF_ERROR(countUnwritten(*unit, dims));
  }
  if (!difference.empty()) {
    if (tally.differing++ < maxReported) {
      fmt::print("{}: {}\n", nameOf(dims), difference);
    }
  } else if (line.verbose) {
    fmt::print("{}: {}{}{}\n", nameOf(dims), runs ? "agrees" : "compiled",
               unit->resources.empty() ? "" : "; ", unit->resources);
  }
  return Status::ok();
}

template <class Op> Status KernelCheck<Op>::finish() {
  std::string left = tally.leftOut
                         ? fmt::format("; {} size{} left out: too much work for --work={:g}",
                                       tally.leftOut, tally.leftOut == 1 ? "" : "s", line.work)
                         : "";
  std::string what =
      fmt::format("@{} on {}{}: {} size{}", op.getSymName().str(), line.target,
                  line.open ? ", compiled once" : "", tally.sizes, tally.sizes == 1 ? "" : "s");
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
  for (const auto &[port, unwritten] : tally.unwritten) {
    fmt::print("note: @{} never writes {} of {} elements of port {} (%out{}){}{}\n",
               op.getSymName().str(), unwritten.elements, unwritten.of, port, port,
               unwritten.dims.empty() ? "" : " at ", unwritten.dims);
  }
  return Status::ok();
}

template <class Op> Status KernelCheck<Op>::run() {
  GridRequest request;
  request.given = line.dims;
  request.count = line.sizes;
  request.seed = line.seed;
  auto work = [&](const DimValues &dims) {
    return workOf(dims);
  };
  request.work = work;
  request.budget = line.work;
  ZYXC_ASSIGN(DimGrid grid, dimGrid(op, request));
  tally.leftOut = grid.leftOut;
  for (const DimValues &dims : grid.sizes) {
    ZYXC_RETURN_IF_ERROR(checkSize(dims));
  }
  return finish();
}

/// The error, after the name of the file if it is not there yet.
static Status inFile(Status status, const KernelLine &line) {
  bool named = status.isOk() || status.message().starts_with(line.file);
  return named ? std::move(status) : std::move(status).withContext(line.file);
}

Status checkKernels(const KernelLine &line) {
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  // Kernels that a program launches may need memory that another one fills.
  ZYXC_ASSIGN(KernelUnits units, unitsOf(file, line));
  ZYXC_ASSIGN(auto target,
              KernelTarget::open(line.target, {line.threads, line.validate, line.simulate}));
  for (KernelOp kernel : units.kernels) {
    ZYXC_RETURN_IF_ERROR(inFile(KernelCheck(file, kernel, line, *target).run(), line));
  }
  for (ProgramOp program : units.programs) {
    ZYXC_RETURN_IF_ERROR(inFile(KernelCheck(file, program, line, *target).run(), line));
  }
  std::string missing = target->deviceMissing();
  if (!missing.empty() && !line.compileOnly) {
    return makeError(ErrorCode::NotRun, "{}: compiled, not run: {}", line.file, missing);
  }
  return Status::ok();
}

} // namespace zyxc::tool
