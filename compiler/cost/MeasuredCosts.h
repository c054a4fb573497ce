// Times of kernels that were measured, in place of their estimates: `zyxc cost-model check --save`
// writes them, --costs reads them.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace zyxc::cost {

/// Measured times by program. A program is known by its hash and its estimate: where the cost table
/// has changed, nothing is known of it.
class MeasuredCosts {
public:
  MeasuredCosts() = default;
  explicit MeasuredCosts(std::string target) : measuredOn(std::move(target)) {}

  /// Reads what text() gave. Input errors name the file and the line.
  static Expected<MeasuredCosts> load(const std::string &path);
  static Expected<MeasuredCosts> parse(std::string_view text, std::string_view name);

  /// Notes a time, in picoseconds on one thread, as all costs; the least of several counts.
  void note(uint64_t program, int64_t estimated, int64_t measured, std::string_view kernel);
  /// Adds the times of another, which count where both know a program.
  void addAll(const MeasuredCosts &other);

  /// What the program costs, as it compares with estimates of programs that were not measured: its
  /// time by the median ratio of all times to their estimates, so that a machine that is slower
  /// than the table, as a whole, does not make what is not measured look cheap. Nothing if it was
  /// not measured.
  std::optional<int64_t> find(uint64_t program, int64_t estimated) const;

  /// The target whose kernels they are: "cpu:x86-64-v4".
  const std::string &target() const { return measuredOn; }
  size_t size() const { return times.size(); }
  /// Identifies the times, in certificates.
  uint64_t id() const;
  /// A line with the target, then one for each program, sorted: hash, estimate, time, kernel.
  std::string text() const;

private:
  struct Time {
    int64_t estimated = 0; ///< picoseconds
    int64_t measured = 0;  ///< picoseconds
    std::string kernel;
  };

  void findScale();

  std::string measuredOn;
  std::map<uint64_t, Time> times;
  double scale = 1; ///< median of measured / estimated
};

} // namespace zyxc::cost
