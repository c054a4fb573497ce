// zyxc-run: runs a saved plan as `zyxc run` does, in a process without LLVM.
#include "runtime/plan/PlanLayout.h"
#include "runtime/support/Version.h"
#include "tools/zyxc/run/Program.h"
#include "tools/zyxc/run/RunPlanFile.h"

using namespace zyxc;

static Status runArguments(std::span<char *const> arguments) {
  tool::RunOptions run;
  std::vector<tool::Option> options = tool::runOptions(run);
  if (arguments.empty() || tool::wantsHelp(arguments)) {
    fmt::print("zyxc-run: runs a plan that zyxc compile saved\n\n"
               "usage: zyxc-run [options] PLAN\n\noptions:\n");
    tool::printOptions(options);
    fmt::print("  --version\n      print the version and the format of plans that it reads\n");
    return Status::ok();
  }
  if (std::string_view(arguments[0]) == "--version") {
    fmt::print("zyxc-run {} (plan formats {}.{} to {}.{})\n", versionNumber,
               rt::staticPlanMajorVersion, rt::planMinorVersion, rt::planMajorVersion,
               rt::planMinorVersion);
    return Status::ok();
  }
  ZYXC_ASSIGN(tool::Arguments parsed, tool::parseOptions("zyxc-run", options, arguments));
  if (parsed.operands.size() != 1) {
    return makeError(ErrorCode::Usage, "zyxc-run takes one plan, {} are given: zyxc-run PLAN",
                     parsed.operands.size());
  }
  run.model = parsed.operands.front();
  tool::useAllCores(run);
  return tool::runPlanFile(run);
}

int main(int argc, char **argv) {
  std::span<char *const> arguments(argv, static_cast<size_t>(argc));
  return tool::runProgram("zyxc-run", "use --memory-limit to be told before the work starts",
                          [&] { return runArguments(arguments.subspan(1)); });
}
