// What a run prints and writes, and the runs of a loaded plan.
#pragma once
#include "runtime/exec/Runner.h"
#include "tools/zyxc/run/RunOptions.h"
#include <map>

namespace zyxc::tool {

/// What a run makes, with what is to be done with it: outputs by number, then the inputs that it
/// writes.
class Outputs {
public:
  /// Reads --expect, with its files, and --output, whose folders must exist. A written input goes
  /// by its name, or, where that is an output's, by "input NAME". Usage and Input errors, before
  /// anything is compiled or run.
  static Expected<Outputs> of(const RunOptions &run, std::vector<rt::NamedType> types,
                              const std::vector<rt::NamedType> &inputs);

  /// Writes files first, then prints, then compares: Mismatch where an output is not as expected.
  /// `inputs`: all of them, as they are after the run.
  Status deliver(std::vector<Tensor> outputs, std::span<const Tensor> inputs) const;

  /// "writes: cache, state", where inputs are written.
  void printWritten() const;

private:
  explicit Outputs(const RunOptions &run) : run(run) {}
  Status compare(const std::vector<Tensor> &outputs) const;

  const RunOptions &run;
  std::vector<rt::NamedType> types;
  std::vector<std::string> names;
  std::vector<size_t> writtenInputs;        ///< numbers of the inputs behind the outputs
  std::map<std::string, std::string> saves; ///< files by name
  std::map<std::string, Tensor> expects;    ///< what they should be, by name
};

/// Times of a plan's runs, in milliseconds.
struct Runs {
  std::vector<Tensor> outputs;
  std::vector<double> milliseconds;
};

/// Runs as often as --repeat says.
Expected<Runs> runPlan(rt::Runner &runner, std::span<const Tensor> inputs, const RunOptions &run);

/// "run: min ..".
void printRunTimes(std::vector<double> milliseconds);
/// A line per step of the plan.
void printKernelTimes(const rt::Runner &runner);

} // namespace zyxc::tool
