#include "tools/zyxc/Commands.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <new>
#include <system_error>
#include <unistd.h>

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
  if (argc > 1 && std::string_view(argv[1]) == "kernel") {
    return tool::kernelCommand(std::span<char *const>(argv, static_cast<size_t>(argc)).subspan(2));
  }
  bool done = false;
  ZYXC_ASSIGN(tool::CommandLine line, tool::parseCommandLine(argc, argv, done));
  return done ? Status::ok() : dispatch(line);
}

/// Standard streams that the caller closed become /dev/null: else the first file that is opened
/// would take the place of one, and messages would end up in it.
static void openStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) {
      ::open("/dev/null", O_RDWR);
    }
  }
}

/// Without a message where the reader has gone, as in `zyxc ... | head`: nobody waits for one.
static Status outputError(int error) {
  return error == EPIPE ? Status(ErrorCode::Input, "")
                        : makeError(ErrorCode::Input, "cannot write standard output: {}",
                                    std::strerror(error));
}

/// One line, whatever characters the names in it hold.
static std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  return text;
}

int main(int argc, char **argv) {
  openStandardStreams();
  // A failed write is an error like others, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Status status;
  try {
    status = mainStatus(argc, argv);
    if (std::fflush(stdout) != 0 && status.isOk()) {
      status = outputError(errno);
    }
  } catch (const std::system_error &error) { // of fmt::print
    status = outputError(error.code().value());
  } catch (const std::bad_alloc &) {
    bool isKernel = argc > 1 && std::string_view(argv[1]) == "kernel";
    status = makeError(ErrorCode::OutOfMemory, "the system refused memory; {}",
                       isKernel ? "give smaller dims by --dim"
                                : "use --memory-limit to be told before the work starts");
  }
  if (!status.isOk() && !status.message().empty()) {
    // Not fmt::print, which throws where standard error cannot be written.
    std::fputs(fmt::format("zyxc: error: {}\n", oneLine(status.message())).c_str(), stderr);
  }
  return static_cast<int>(status.code());
}
