// The command line of zyxc: one struct for all commands, filled from one table of options.
#pragma once
#include "compiler/driver/Compile.h"
#include "tools/zyxc/run/RunOptions.h"
#include <string>
#include <vector>

namespace zyxc::tool {

/// What zyxc is asked to do.
enum class Command { Run, Compile, Inspect, Verify, Explain, Doctor, CostModel };

/// All options; docs/cli.md describes them.
struct CommandLine : RunOptions {
  CommandLine();

  Command command = Command::Run;
  std::vector<std::string> bindings;
  std::vector<std::string> targets; ///< of compile; none: "cpu"
  std::string planFile;             ///< that compile writes; empty: none
  std::string emit;                 ///< what compile prints; empty: nothing
  std::string node;                 ///< of the model, that explain is about; empty: all
  std::string page;                 ///< that explain writes; empty: none
  std::string costsFile;            ///< that cost-model check writes; empty: none
  kernelize::LibraryUse blasUse = kernelize::LibraryUse::Cheaper; ///< of a library of --blas
  bool json = false;
  bool perNode = false;
  bool open = false;
  bool timing = false;
  std::vector<std::string_view> given; ///< names of the options that were given
  CompileOptions compile;
};

/// True if an option was given.
bool isGiven(const CommandLine &line, std::string_view option);

/// Parses argv into `line`. On `--help` or `--version` prints to standard output and sets `done`.
Status parseCommandLine(std::span<char *const> arguments, CommandLine &line, bool &done);

} // namespace zyxc::tool
