// A progress line on standard error for whatever takes over half a second; silent when standard
// error is not a terminal.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace zyxc::tool {

/// Owns the line and the thread that draws it, from construction to destruction.
class Progress {
public:
  explicit Progress(std::string text);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Names what is being done now.
  void step(std::string_view text);

private:
  void loop();

  std::mutex mutex;
  std::condition_variable wake;
  std::string text;
  bool stopping = false;
  bool shown = false;
  std::thread thread;
};

} // namespace zyxc::tool
