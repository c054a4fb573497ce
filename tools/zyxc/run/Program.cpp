#include "tools/zyxc/run/Program.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>

namespace zyxc::tool {

/// Standard streams that the caller closed become /dev/null: else the first file that is opened
/// would take the place of one, and messages would end up in it. Standard output cannot be written
/// then: what is printed is an error, not lost.
static void openStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) {
      ::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
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

int runProgram(std::string_view name, std::string_view memoryHint,
               const std::function<Status()> &body) {
  openStandardStreams();
  // A failed write is an error like others, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Status status;
  try {
    status = body();
    if (std::fflush(stdout) != 0 && status.isOk()) {
      status = outputError(errno);
    }
  } catch (const std::system_error &error) { // of fmt::print
    status = outputError(error.code().value());
  } catch (const std::bad_alloc &) {
    status = makeError(ErrorCode::OutOfMemory, "the system refused memory; {}", memoryHint);
  }
  if (!status.isOk() && !status.message().empty()) {
    // Not fmt::print, which throws where standard error cannot be written.
    std::fputs(fmt::format("{}: error: {}\n", name, oneLine(status.message())).c_str(), stderr);
  }
  return static_cast<int>(status.code());
}

} // namespace zyxc::tool
