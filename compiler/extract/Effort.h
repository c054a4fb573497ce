// A budget of work. Work is counted in numbers touched (inputs read, words of bits united, prices
// moved), so that a budget takes about the same time on any problem, and gives the same result on
// any machine. A limit in seconds can be added, for those who would rather have that.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zyxc::extract {

/// Numbers that are touched in about the time of a search node.
inline constexpr uint64_t numbersPerNode = 4000;

class Effort {
public:
  using Clock = std::chrono::steady_clock;

  explicit Effort(uint64_t limit) : limit(limit) {}
  /// A part of another budget: what is spent here is spent there, too.
  Effort(Effort &whole, uint64_t limit) : limit(std::min(limit, whole.left())), whole(&whole) {}

  /// Over once this time has come.
  void setDeadline(Clock::time_point time) { deadline = time; }

  void spend(uint64_t numbers) {
    used += numbers;
    if (whole) {
      whole->spend(numbers);
    }
  }
  uint64_t spent() const { return used; }
  uint64_t left() const { return used < limit ? limit - used : 0; }
  bool isOver() const { return used >= limit || (whole && whole->isOver()) || isLate(); }
  /// Is the deadline over? Asks the clock each time; once true it stays true. The deadlines of
  /// whole budgets are not looked at.
  bool isLate() const { return deadline != Clock::time_point::max() && Clock::now() >= deadline; }

private:
  uint64_t limit;
  uint64_t used = 0;
  Effort *whole = nullptr;
  Clock::time_point deadline = Clock::time_point::max();
};

} // namespace zyxc::extract
