// The commands of zyxc. Each prints its result to standard output and returns the error, if any.
#pragma once
#include "compiler/driver/Compile.h"
#include "tools/zyxc/CommandLine.h"

namespace zyxc::tool {

Status runCommand(const CommandLine &line);
Status compileCommand(const CommandLine &line);
Status inspectCommand(const CommandLine &line);
Status verifyCommand(const CommandLine &line);
/// verify --open: compiles a model with open dims once and compares it with the interpreter at many
/// sizes, or at those of --dim.
Status verifyOpen(const CommandLine &line);
/// Why a model's plan is as it is, as text, as JSON or as a page.
Status explainCommand(const CommandLine &line);
Status doctorCommand(const CommandLine &line);
/// Times each kernel of a model beside what the cost model says of it.
Status costModelCommand(const CommandLine &line);

/// A loaded model with the values of its inputs, in order.
struct Job {
  Model model;
  std::vector<Tensor> inputs;
};

/// A model as the command line wants it.
struct LoadedModel {
  Model model;
  std::map<std::string, std::string> inputs; ///< what --input says of those that are left, by name
};

/// Reads the model. --bind, and --input for inputs whose values decide shapes, make constants;
/// --dim and files of --input give sizes to symbolic dims; `compile` and `verify --open` leave the
/// others open.
Expected<LoadedModel> loadModel(const CommandLine &line);

/// Reads the model and makes its inputs. Usage, with their names, if sizes are open.
Expected<Job> prepareJob(const CommandLine &line);

/// Compiles a model, with progress on a terminal; a crash becomes an Internal error, with a file
/// that reproduces it.
Expected<Compiled> compileGuarded(const Model &model, const CommandLine &line);

/// The step times of a compilation, a line each.
void printCompileTimes(const Compiled &compiled);

/// Where a model runs: the device of a GPU's target, for which code is made then; null for the
/// host. Device, if this machine lacks what code for --target needs.
Expected<std::shared_ptr<rt::GpuDevice>> openTarget(CommandLine &line);

/// An error of the model, with the model's file named before it if it is not yet.
Status namingModel(Status status, const CommandLine &line);

} // namespace zyxc::tool
