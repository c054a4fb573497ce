// `zyxc kernel check|time|compile|emit|schedules|bundle FILE`: single kernels of the zyxk dialect.
// docs/cli.md describes the options; the table of options is in KernelCommandLine.cpp.
#pragma once
#include "tools/zyxc/run/Actions.h"
#include <cstdint>
#include <map>

namespace zyxc::tool {

/// The options of all actions.
struct KernelLine : ActionLine {
  std::string kernel;   ///< name of the kernel; empty: all of the file
  std::string schedule; ///< replaces the kernel's; "none": the target's default
  std::string target = "host";
  std::map<std::string, int64_t> dims;
  int threads = 1;
  uint64_t seed = 0;
  int sizes = 40;            ///< check: at most this many sizes
  int nonFinite = 0;         ///< check: one float input in so many is no number; 0: none
  double work = 1e8;         ///< check: interpreter work, all sizes together
  bool validate = false;     ///< check: under Vulkan's validation layer
  bool simulate = false;     ///< check: on a simulated NVIDIA GPU
  bool compileOnly = false;  ///< check: do not run
  bool open = false;         ///< check, time, emit: dims stay without a size in the compiled code
  bool verbose = false;      ///< check: a line per size
  int repeat = 20;           ///< time, compile: samples
  bool tsv = false;          ///< time, compile: a line of tab-separated values
  std::string assembleFor;   ///< compile: the architecture, if not the target
  std::string emit = "zyxk"; ///< emit: the form
  std::string out;           ///< bundle: the folder
};

/// Runs `zyxc kernel` with the arguments after `kernel`. Prints to standard output.
Status kernelCommand(std::span<char *const> arguments);

Status checkKernels(const KernelLine &line);
Status timeKernels(const KernelLine &line);
Status timeCompilation(const KernelLine &line);
Status emitKernel(const KernelLine &line);
Status printSchedules(const KernelLine &line);
Status bundleKernels(const KernelLine &line);

} // namespace zyxc::tool
