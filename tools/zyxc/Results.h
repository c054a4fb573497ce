// What a model gives, for comparing: its outputs, then what the inputs that it writes hold at the
// end. Runs leave the inputs that they are given as they are.
#pragma once
#include "compiler/driver/Model.h"
#include "runtime/exec/Runner.h"
#include "tools/zyxc/CommandLine.h"
#include "tools/zyxc/compare/Compare.h"

namespace zyxc::tool {

/// "output y", or another word for output, and "input cache after the run", in the order of the
/// results.
std::vector<std::string> resultNames(const Model &model, std::string_view output = "output");

/// By the reference interpreter.
Expected<std::vector<Tensor>> interpretedResults(const Model &model, std::span<const Tensor> inputs,
                                                 uint64_t memoryLimit);

/// By a plan of the model.
Expected<std::vector<Tensor>> executedResults(rt::Runner &runner, std::span<const Tensor> inputs);

/// What `verify` allows: --rtol and --atol; without them far less at level exact.
Tolerance toleranceOf(const CommandLine &line);
/// That tolerance in words.
std::string describe(const Tolerance &tolerance);

} // namespace zyxc::tool
