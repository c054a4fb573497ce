#include "compiler/codegen/cuda/Assembler.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace zyxc {

/// Much of the time of ptxas goes into page faults of its heap. glibc asks for huge pages with
/// this; where it does not know these words, it ignores them.
static constexpr std::string_view heapTunables =
    "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432:glibc.malloc.mmap_threshold=67108864:"
    "glibc.malloc.trim_threshold=268435456";
static constexpr std::string_view tunablesName = "GLIBC_TUNABLES=";

/// The environment of ptxas; the user's own tunables win.
static std::vector<std::string> environment() {
  std::vector<std::string> variables;
  bool isGiven = false;
  for (char **each = environ; each && *each; ++each) {
    isGiven |= std::string_view(*each).starts_with(tunablesName);
    variables.emplace_back(*each);
  }
  if (!isGiven) {
    variables.push_back(std::string(tunablesName) + std::string(heapTunables));
  }
  return variables;
}

static std::vector<char *> pointersTo(std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (std::string &text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

static void closeIfOpen(int &descriptor) {
  if (descriptor >= 0) {
    close(descriptor);
    descriptor = -1;
  }
}

namespace {

/// Pairs of connected descriptors; those that were not taken are closed.
struct Channels {
  std::array<std::array<int, 2>, 3> ends = {{{-1, -1}, {-1, -1}, {-1, -1}}};

  ~Channels() {
    for (auto &pair : ends) {
      closeIfOpen(pair[0]);
      closeIfOpen(pair[1]);
    }
  }
  /// Standard input is a socket: a process that has ended is then an error, not a signal.
  bool open() {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends[0].data()) == 0 &&
           pipe2(ends[1].data(), O_CLOEXEC) == 0 && pipe2(ends[2].data(), O_CLOEXEC) == 0;
  }
  int take(unsigned channel, unsigned end) { return std::exchange(ends[channel][end], -1); }
};

} // namespace

Expected<std::unique_ptr<Assembler>> Assembler::start(const CudaToolkit &toolkit,
                                                      const std::string &architecture, int level) {
  Channels channels;
  if (!channels.open()) {
    return makeError(ErrorCode::Internal, "no pipes for {}: {}", toolkit.ptxas,
                     std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channels.ends[0][0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channels.ends[1][1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channels.ends[2][1], STDERR_FILENO);
  std::vector<std::string> words = {
      toolkit.ptxas, "-v",         "-arch=" + architecture, "-O" + std::to_string(level), "-",
      "-o",          "/dev/stdout"};
  std::vector<std::string> variables = environment();
  std::unique_ptr<Assembler> assembler(new Assembler());
  assembler->program = toolkit.ptxas;
  int error = posix_spawn(&assembler->process, toolkit.ptxas.c_str(), &actions, nullptr,
                          pointersTo(words).data(), pointersTo(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    assembler->process = -1;
    return makeError(ErrorCode::Internal, "{} does not start: {}", toolkit.ptxas,
                     std::strerror(error));
  }
  assembler->input = channels.take(0, 1);
  assembler->output = channels.take(1, 0);
  assembler->log = channels.take(2, 0);
  return assembler;
}

Assembler::~Assembler() {
  closeIfOpen(input);
  closeIfOpen(output);
  closeIfOpen(log);
  if (process > 0) {
    kill(process, SIGKILL);
    wait();
  }
}

int Assembler::wait() {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  process = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Adds what there is to read; closes the descriptor at the end.
static void receive(int &descriptor, std::string &text) {
  std::array<char, 65536> buffer;
  ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    closeIfOpen(descriptor);
  }
}

Status Assembler::exchange(std::string_view ptx) {
  while (output >= 0 || log >= 0) {
    std::array<pollfd, 3> events = {{{input, POLLOUT, 0}, {output, POLLIN, 0}, {log, POLLIN, 0}}};
    if (poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) {
        continue;
      }
      return makeError(ErrorCode::Internal, "{}: {}", program, std::strerror(errno));
    }
    if (input >= 0 && events[0].revents) {
      ssize_t count = send(input, ptx.data(), ptx.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0) {
        ptx.remove_prefix(static_cast<size_t>(count));
      }
      bool hasEnded = count < 0 && errno != EINTR && errno != EAGAIN;
      if (hasEnded || ptx.empty()) {
        closeIfOpen(input);
      }
    }
    if (output >= 0 && events[1].revents) {
      receive(output, image);
    }
    if (log >= 0 && events[2].revents) {
      receive(log, messages);
    }
  }
  return Status::ok();
}

Expected<Cubin> Assembler::assemble(std::string_view ptx) {
  ZYXC_RETURN_IF_ERROR(exchange(ptx));
  int code = wait();
  if (code != 0 || image.empty()) {
    return makeError(ErrorCode::Internal, "{} failed (exit code {}): {}", program, code,
                     llvm::StringRef(messages).trim().str());
  }
  return Cubin{std::move(image), parsePtxasReport(messages)};
}

} // namespace zyxc
