#include "tools/zyxc/Commands.h"
#include "tools/zyxc/egraph/EGraphCommand.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/rules/RulesCommand.h"
#include "tools/zyxc/run/Program.h"

using namespace zyxc;

static Status dispatch(const tool::CommandLine &line) {
  switch (line.command) {
  case tool::Command::Run: return tool::runCommand(line);
  case tool::Command::Compile: return tool::compileCommand(line);
  case tool::Command::Inspect: return tool::inspectCommand(line);
  case tool::Command::Verify: return tool::verifyCommand(line);
  case tool::Command::Explain: return tool::explainCommand(line);
  case tool::Command::Doctor: return tool::doctorCommand(line);
  case tool::Command::CostModel: return tool::costModelCommand(line);
  }
}

int main(int argc, char **argv) {
  std::span<char *const> arguments(argv, static_cast<size_t>(argc));
  std::string_view group = argc > 1 ? argv[1] : "";
  bool isKernel = group == "kernel";
  std::string_view memoryHint = isKernel ? "give smaller dims by --dim"
                                : group == "egraph"
                                    ? "give a smaller --budget"
                                    : "use --memory-limit to be told before the work starts";
  return tool::runProgram("zyxc", memoryHint, [&]() -> Status {
    if (isKernel) {
      return tool::kernelCommand(arguments.subspan(2));
    }
    if (group == "egraph") {
      return tool::egraphCommand(arguments.subspan(2));
    }
    if (group == "rules") {
      return tool::rulesCommand(arguments.subspan(2));
    }
    tool::CommandLine line;
    bool done = false;
    ZYXC_RETURN_IF_ERROR(tool::parseCommandLine(arguments, line, done));
    return done ? Status::ok() : dispatch(line);
  });
}
