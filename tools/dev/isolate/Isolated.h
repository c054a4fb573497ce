// Runs a piece of a test in a child process, so that a crash or an endless loop is a result like
// any other and the next case still runs.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace zyxc {

/// How a child process ended.
struct Isolated {
  enum class End : uint8_t { Returned, Crashed, TimedOut } end = End::Returned;
  std::string text; ///< what the body returned, or "signal 11", "no answer in 20 s"
};

/// Runs `body` in a fork of this process, which must have no other thread, and returns its text.
Isolated runIsolated(const std::function<std::string()> &body, int seconds);

} // namespace zyxc
