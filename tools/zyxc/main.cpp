#include "tools/zyxc/Commands.h"
#include "llvm/Support/Signals.h"
#include <cstdio>
#include <fmt/core.h>
#include <new>

using namespace zyxc;

static Status dispatch(const tool::CommandLine &line) {
  switch (line.command) {
  case tool::Command::Run: return tool::runCommand(line);
  case tool::Command::Inspect: return tool::inspectCommand(line);
  case tool::Command::Verify: return tool::verifyCommand(line);
  case tool::Command::Doctor: return tool::doctorCommand(line);
  }
}

static Status mainStatus(int argc, char **argv) {
  bool done = false;
  ZYXC_ASSIGN(tool::CommandLine line, tool::parseCommandLine(argc, argv, done));
  return done ? Status::ok() : dispatch(line);
}

int main(int argc, char **argv) {
  Status status;
  try {
    status = mainStatus(argc, argv);
  } catch (const std::bad_alloc &) {
    status = makeError(ErrorCode::OutOfMemory, "the system refused memory; use --memory-limit to "
                                               "be told before the work starts");
  }
  if (!status.isOk()) {
    fmt::print(stderr, "zyxc: error: {}\n", status.message());
  }
  std::fflush(stdout);
  return static_cast<int>(status.code());
}
