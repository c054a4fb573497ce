// Runs one case: import, interpreter or the whole compiler, comparison.
#pragma once
#include "runtime/devices/open/OpenGpu.h"
#include "tools/dev/onnx-node/Cases.h"
#include <memory>

namespace zyxc::onnxnode {

/// How cases are run.
struct Mode {
  std::string target = "interp";
  rt::OpenGpuOptions gpu;
  std::string openDims; ///< "", all, first
  /// Of a GPU's target; opened in the process that runs the cases.
  std::shared_ptr<rt::GpuDevice> device = nullptr;
};

enum class Outcome { Pass, Fail, Unsupported };

struct Verdict {
  Outcome outcome;
  std::string text;
  std::string op = "unknown"; ///< the model's operator; "several" where its nodes differ
};

/// The verdict that an error stands for.
Verdict verdictOf(const Status &error);

/// Runs a case in this process, on the device of the mode.
Verdict runCase(const Case &test, const Mode &mode);

} // namespace zyxc::onnxnode
