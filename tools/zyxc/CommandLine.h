// The command line of zyxc: one struct for all commands, filled from one table of options.
#pragma once
#include "compiler/driver/Compile.h"
#include <string>
#include <vector>

namespace zyxc::tool {

/// What zyxc is asked to do.
enum class Command { Run, Inspect, Verify, Doctor };

/// All options; docs/cli.md describes them.
struct CommandLine {
  Command command = Command::Run;
  std::string model;
  /// "name=value", or "value" alone when the model has one such input or output.
  std::vector<std::string> inputs;
  std::vector<std::string> expects;
  std::vector<std::string> bindings;
  std::vector<std::string> saves;
  std::string target = "cpu";
  double rtol = 1e-3;
  double atol = -1; ///< negative: rtol times the root mean square of the expected tensor
  int repeat = 1;
  uint64_t seed = 0;
  bool json = false;
  bool perNode = false;
  bool showPlan = false;
  bool explain = false;
  bool timing = false;
  bool timeSteps = false;
  bool quiet = false;
  CompileOptions compile;
};

/// Parses argv. On `--help` or `--version` prints to standard output and sets `done`.
Expected<CommandLine> parseCommandLine(int argc, char **argv, bool &done);

} // namespace zyxc::tool
