#include "tools/zyxc/run/RunOptions.h"
#include "runtime/devices/open/OpenGpu.h"
#include "runtime/plan/PlanLayout.h"
#include "runtime/support/File.h"
#include "runtime/support/Memory.h"
#include "tools/zyxc/run/OptionText.h"
#include <algorithm>
#include <cmath>
#include <thread>

namespace zyxc::tool {

static Status setTolerance(double &out, std::string_view text) {
  return setNumber(out, text, 0.0, HUGE_VAL).isOk()
             ? Status::ok()
             : makeError(ErrorCode::Usage, "give a number that is not negative");
}

static Status setMemoryLimit(uint64_t &out, std::string_view text) {
  auto limit = parseBytes(text);
  if (!limit || *limit == 0) {
    return makeError(ErrorCode::Usage, "give bytes, or a number with K, M, G");
  }
  out = *limit;
  return Status::ok();
}

/// Adds the sizes of "N=8,M=2".
static Status addSizes(dim::Bindings &dims, std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = text.substr(begin, end - begin);
    size_t equals = item.find('=');
    std::string_view name = item.substr(0, equals);
    if (equals == item.npos || !dim::isVariableName(name)) {
      return makeError(ErrorCode::Usage, "give sizes as NAME=SIZE,NAME=SIZE");
    }
    int64_t size = 0;
    ZYXC_RETURN_IF_ERROR(setNumber<int64_t>(size, item.substr(equals + 1), 0, int64_t(1) << 48));
    if (!dims.emplace(name, size).second) {
      return makeError(ErrorCode::Usage, "the size of {} is given twice", name);
    }
    begin = end + 1;
  }
  return Status::ok();
}

std::vector<Option> runOptions(RunOptions &run) {
  return {
      listOption("input", "[name=]@file.npy|@file.pb|random|zeros|ones|arange",
                 "value of an input; what is not given is random", run.inputs),
      {"dim", "N=8,M=2", "sizes of dims that are symbolic, by name",
       [&run](std::string_view text) { return addSizes(run.dims, text); }},
      listOption("expect", "[name=]@file", "compare an output; exit code 6 if it differs",
                 run.expects),
      listOption("output", "[name=]@file.npy|@file.pb",
                 "write an output, or an input that the program writes, to a file", run.saves),
      listOption("library", "PATH",
                 "a shared library with functions of custom kernels; may be given several times",
                 run.libraries),
      {"blas", "PATH|auto|off",
       "a BLAS library for matrix products where it costs less; auto: the system's (default off)",
       [&run](std::string_view text) {
         run.blas = text == "off" ? "" : text;
         return text.empty() ? makeError(ErrorCode::Usage, "give a path, auto or off")
                             : Status::ok();
       }},
      {"rtol", "X", "relative tolerance (default 1e-3)",
       [&run](std::string_view text) { return setTolerance(run.rtol, text); }},
      {"atol", "X",
       "absolute tolerance (default: rtol times the expected tensor's root mean square)",
       [&run](std::string_view text) { return setTolerance(run.atol, text); }},
      {"target", "cpu[:NAME]|vulkan[:NAME]|cuda[:NAME]",
       "which code of the file to run (default: the best for this processor, or what runs here)",
       [&run](std::string_view text) {
         if (!run.target.empty()) {
           return makeError(ErrorCode::Usage, "it is given twice, {} is the other: give one",
                            run.target);
         }
         run.target = text;
         return text == "cpu" || text.starts_with("cpu:") || rt::isGpuTarget(text)
                    ? Status::ok()
                    : makeError(ErrorCode::Usage, "use cpu, vulkan or cuda, or one of these with "
                                                  "a colon and the name of a target");
       }},
      {"threads", "N", "threads (default 0: all cores)",
       [&run](std::string_view text) { return setNumber(run.threads, text, 0, 1024); }},
      {"repeat", "N", "run this often and print the times",
       [&run](std::string_view text) { return setNumber(run.repeat, text, 1, 1'000'000); }},
      {"seed", "N", "seed of random inputs (default 0)",
       [&run](std::string_view text) {
         return setNumber<uint64_t>(run.seed, text, 0, UINT64_MAX);
       }},
      {"memory-limit", "BYTES|512M|2G", "refuse to plan more memory than this",
       [&run](std::string_view text) { return setMemoryLimit(run.memoryLimit, text); }},
      switchOption("time-kernels", "print the time of each kernel", run.timeSteps),
      switchOption("validate", "vulkan: run under the validation layer, whose messages are errors",
                   run.validate),
      switchOption("simulate", "cuda:NAME: run on a simulator of the GPU", run.simulate),
      switchOption("plan", "print the plan", run.showPlan),
      switchOption("quiet", "do not print output values", run.quiet),
  };
}

Status checkGpuOptions(const RunOptions &run) {
  if (rt::isGpuTarget(run.target) || !(run.validate || run.simulate)) {
    return Status::ok();
  }
  return makeError(ErrorCode::Usage, "--{}",
                   run.validate ? "validate: it is for --target=vulkan"
                                : "simulate: it is for --target=cuda:sm_90");
}

void useAllCores(RunOptions &run) {
  if (run.threads == 0) {
    run.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
}

bool isPlanFile(const std::string &path) {
  if (path.ends_with(".zyxp")) {
    return true;
  }
  std::array<std::byte, rt::planPrefixBytes> start{};
  auto file = InputFile::open(path);
  return file && file->readAt(0, start).isOk() && rt::startsAsPlan(start);
}

} // namespace zyxc::tool
