// The whole path from a zyx module to code for a target: one function of named steps.
#pragma once
#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/cost/MeasuredCosts.h"
#include "compiler/driver/Model.h"
#include "compiler/driver/ModelTarget.h"
#include "compiler/kernelize/library/LibraryUse.h"
#include "compiler/plan/explain/Explanation.h"
#include "compiler/rules/RuleText.h"
#include "runtime/plan/GpuPlan.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zyxc {

using rules::Numerics;

/// What compile() is to do beside the defaults.
struct CompileOptions {
  std::string target = "cpu"; ///< ModelTarget::named
  /// The GPU that will run the code, if it is known: code is for it then.
  std::optional<rt::GpuDeviceInfo> device;
  Numerics numerics = Numerics::Approx;
  std::vector<std::string> ruleFiles; ///< rules beside those that are built in; they shape the plan
  int threads = 1;                    ///< compile workers and, in plannedBytes, run threads
  uint64_t memoryLimit = 0;           ///< bytes of planned memory; 0: what the machine has
  std::string stopAfter;              ///< end after this step; empty: run all
  std::vector<std::string> dumpAfter; ///< steps whose result is given to `dump`
  std::vector<std::string> disable;   ///< steps that are left out; only optional ones
  bool explainRules = false;          ///< the text of step `rules` says why programs are equal
  bool explain = false;               ///< fill Compiled::explanation
  bool keepTexts = false;             ///< fill Compiled::texts
  /// Custom ops with a decomposition call their function, which the run must then find.
  bool useLibraries = false;
  /// Functions of a BLAS library, which the run must then name, compete with kernels of the host.
  /// None with Numerics::Exact, which sums in the order of the model.
  kernelize::LibraryUse blas = kernelize::LibraryUse::Off;
  /// Times of kernels that replace their estimates; null: none.
  std::shared_ptr<const cost::MeasuredCosts> measuredCosts;
  /// Called with a step's name before it runs, from the compiling thread.
  std::function<void(std::string_view step)> onStep;
  /// Called with the text of a step named in dumpAfter, and of the step of stopAfter.
  std::function<void(std::string_view step, const std::string &text)> dump;
};

/// Wall-clock time of one step.
struct StepTiming {
  std::string step;
  double seconds = 0;
};

/// Where the machine code of a plan's kernel is, for saving it.
struct KernelCode {
  std::shared_ptr<const std::string> object; ///< an object file
  std::string entry;                         ///< symbol; empty: no code of its own
  std::string join;                          ///< symbol; empty: none
};

/// A kernel as measured costs know it (compiler/cost/MeasuredCosts.h).
struct MeasurableProgram {
  uint64_t hash = 0;     ///< of the program
  int64_t estimated = 0; ///< picoseconds by the cost table
};

/// What a compilation made. With stopAfter, only what was reached.
struct Compiled {
  rt::Plan plan;
  std::string planText;             ///< deterministic for the same model, options and target
  explain::Explanation explanation; ///< with CompileOptions::explain, after step `plan`
  std::string kernelText;           ///< all zyxk kernels
  std::vector<KernelTexts> texts;   ///< with keepTexts, of each kernel of kernelText
  std::vector<StepTiming> timings;  ///< of each step, then "free": what the steps left behind
  ModelTarget target;               ///< named in full
  std::vector<MeasurableProgram> programs; ///< by kernel of the plan, but for those that pack
  std::vector<KernelCode> kernelCode;      ///< of the host: one a kernel, as in rt::wholePlan
  rt::GpuCodes gpuCodes;                   ///< of a GPU: one list a kernel of the plan
  std::vector<std::string> gpuNeeds;       ///< of a GPU: rt::missingNeeds
  std::shared_ptr<const void> code; ///< keeps the machine code alive; outlives every executor
  bool finished = false;            ///< the plan is complete and can be loaded
};

/// True if a step has this name. stepList: all names, in order, joined by commas.
bool isStep(std::string_view name);
std::string stepList();

/// The version of zyxc and of LLVM.
std::string version();

/// Runs the pipeline on a model. Usage errors: a step of `disable` that is not optional. Others
/// come from the step that failed; OutOfMemory if the plan needs more than the limit; Unsupported,
/// naming target and node, if a GPU cannot do a kernel. The model may go before the result does.
Expected<Compiled> compile(const Model &model, const CompileOptions &options);

} // namespace zyxc
