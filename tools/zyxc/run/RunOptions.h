// What a run of a compiled program is asked to do, whether it was compiled just now or comes from a
// file; docs/cli.md describes the options.
#pragma once
#include "runtime/core/Dim.h"
#include "tools/zyxc/run/Options.h"
#include "tools/zyxc/run/TensorFiles.h"

namespace zyxc::tool {

struct RunOptions {
  std::string model; ///< the file
  /// "name=value", or "value" alone when the model has one such input or output.
  std::vector<std::string> inputs;
  std::vector<std::string> expects;
  std::vector<std::string> saves;
  dim::Bindings dims;                 ///< values of symbolic sizes
  std::vector<std::string> libraries; ///< paths of libraries with custom kernels
  std::string blas;                   ///< the BLAS library: a path, "auto", or empty: none
  std::string target; ///< empty: cpu, or of a file without it the first target that runs here
  double rtol = 1e-3;
  double atol = -1; ///< negative: rtol times the root mean square of the expected tensor
  int repeat = 1;
  uint64_t seed = 0;
  int threads = 0;          ///< 0: all cores, until useAllCores
  uint64_t memoryLimit = 0; ///< bytes of planned memory; 0: what the machine has
  bool showPlan = false;
  bool timeSteps = false;
  bool validate = false; ///< Vulkan: under the validation layer
  bool simulate = false; ///< NVIDIA GPUs: on a simulator
  bool quiet = false;
  TensorFiles files;
};

/// The options of a run, bound to `run`, which must stay where it is.
std::vector<Option> runOptions(RunOptions &run);

/// Usage, if an option is for GPUs and the target is none.
Status checkGpuOptions(const RunOptions &run);

/// Sets `threads` to the number of cores where it is 0.
void useAllCores(RunOptions &run);

/// True if a file is a saved plan, by its name or its first bytes.
bool isPlanFile(const std::string &path);

} // namespace zyxc::tool
