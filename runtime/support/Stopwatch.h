// Times of the steps of a program, for reports.
#pragma once
#include <chrono>

namespace zyxc {

/// Adds the milliseconds of its lifetime to a counter.
class Stopwatch {
public:
  explicit Stopwatch(double &total) : total(total) {}
  ~Stopwatch() { total += std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &total;
  Clock::time_point start = Clock::now();
};

} // namespace zyxc
