#include "tools/zyxc/run/Progress.h"
#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <unistd.h>

namespace zyxc::tool {

Progress::Progress(std::string t) : text(std::move(t)) {
  if (isatty(STDERR_FILENO)) {
    thread = std::thread([this] { loop(); });
  }
}

Progress::~Progress() {
  if (!thread.joinable()) {
    return;
  }
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  thread.join();
  if (shown) {
    fmt::print(stderr, "\r\033[K"); // the line is gone when the work is done
  }
}

void Progress::step(std::string_view t) {
  std::lock_guard lock(mutex);
  text = t;
}

void Progress::loop() {
  auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, std::chrono::milliseconds(500), [this] { return stopping; })) {
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "\r\033[K{} ... {:.1f} s", text, elapsed.count());
    std::fflush(stderr);
    shown = true;
  }
}

} // namespace zyxc::tool
