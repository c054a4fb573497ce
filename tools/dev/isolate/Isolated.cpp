#include "tools/dev/isolate/Isolated.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zyxc {

/// Reads the child's text. False if the time is over before it ends.
static bool readAll(int descriptor, int seconds, std::string &text) {
  char buffer[4096];
  for (int waited = 0;;) {
    pollfd entry{descriptor, POLLIN, 0};
    int ready = poll(&entry, 1, 1000);
    if (ready == 0 && ++waited >= seconds) {
      return false;
    }
    if (ready <= 0) {
      continue;
    }
    ssize_t count = read(descriptor, buffer, sizeof(buffer));
    if (count <= 0) {
      return true;
    }
    text.append(buffer, static_cast<size_t>(count));
  }
}

[[noreturn]] static void runChild(const std::function<std::string()> &body, int descriptor) {
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::string text = body();
  for (size_t written = 0; written < text.size();) {
    ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    if (count <= 0) {
      break;
    }
    written += static_cast<size_t>(count);
  }
  std::fflush(nullptr);
  _exit(0);
}

Isolated runIsolated(const std::function<std::string()> &body, int seconds) {
  std::fflush(nullptr);
  int ends[2];
  if (pipe(ends) != 0) {
    return {Isolated::End::Crashed, std::strerror(errno)};
  }
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {Isolated::End::Crashed, std::strerror(errno)};
  }
  if (child == 0) {
    close(ends[0]);
    runChild(body, ends[1]);
  }
  close(ends[1]);
  Isolated result;
  bool inTime = readAll(ends[0], seconds, result.text);
  close(ends[0]);
  if (!inTime) {
    kill(child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!inTime) {
    return {Isolated::End::TimedOut, "no answer in " + std::to_string(seconds) + " s"};
  }
  if (WIFSIGNALED(status)) {
    return {Isolated::End::Crashed, "signal " + std::to_string(WTERMSIG(status))};
  }
  if (WEXITSTATUS(status) != 0) {
    return {Isolated::End::Crashed, "exit status " + std::to_string(WEXITSTATUS(status))};
  }
  return result;
}

} // namespace zyxc
