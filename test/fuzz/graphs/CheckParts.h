// What the checks of static programs and of programs with open sizes share.
#pragma once
#include "compiler/driver/Compile.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/PlanFile.h"
#include "test/fuzz/graphs/Check.h"
#include "test/fuzz/graphs/oracle/Oracle.h"

namespace zyxc::fuzz {

/// The first output that is not as expected, or "". Rarely a wider tolerance is found by trying
/// more often: `expected`, from so many `runs`, is replaced until it is wide enough or no wider.
Expected<std::string> difference(const Graph &graph, const std::vector<Tensor> &actual,
                                 std::vector<Expectation> &expected, int &runs);

/// The module's values, which must be what the graph gives, bit for bit.
Status checkText(const std::vector<Tensor> &values, const std::vector<Expectation> &expected);

/// A plan that was loaded from a file.
struct SavedPlan {
  rt::PlanFile file; ///< the plan lies in its pages
  std::shared_ptr<const void> code;
  std::unique_ptr<rt::Executor> executor;
};

/// The plan, saved to a file and loaded from there. `blas`: CheckOptions::blas.
Expected<SavedPlan> loadSaved(const Compiled &compiled, const std::string &blas);

/// Run from its file the plan must give the same bytes.
Status checkSaved(const SavedPlan &saved, std::span<const Tensor> inputs,
                  const std::vector<Tensor> &expected);

/// How a program is compiled for these checks.
CompileOptions compileOptions(Numerics numerics, std::string_view target,
                              const CheckOptions &options);

/// The program with the fault, where it stays valid.
Graph spoiled(Graph graph, const Fault &fault);

/// Compiles a program with open sizes once and runs it at many sizes.
Status checkOpen(const Graph &graph, const CheckOptions &options);

} // namespace zyxc::fuzz
