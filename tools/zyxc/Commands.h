// The commands of zyxc. Each prints its result to standard output and returns the error, if any.
#pragma once
#include "compiler/driver/Compile.h"
#include "tools/zyxc/CommandLine.h"

namespace zyxc::tool {

Status runCommand(const CommandLine &line);
Status inspectCommand(const CommandLine &line);
Status verifyCommand(const CommandLine &line);
Status doctorCommand(const CommandLine &line);

/// A loaded model with the values of its inputs, in order.
struct Job {
  Model model;
  std::vector<Tensor> inputs;
};

/// Reads the model and makes its inputs from --input and --bind. Inputs whose values decide shapes
/// are bound by itself.
Expected<Job> prepareJob(const CommandLine &line);

/// Compiles a model, with progress on a terminal; a crash becomes an Internal error, with a file
/// that reproduces it.
Expected<Compiled> compileGuarded(const Model &model, const CommandLine &line);

/// An error of the model, with the model's file named before it if it is not yet.
Status namingModel(Status status, const CommandLine &line);

} // namespace zyxc::tool
