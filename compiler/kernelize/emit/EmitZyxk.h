// From a Program to the text of a zyxk kernel, with the schedule of its family.
#pragma once
#include "compiler/kernelize/program/Program.h"
#include "runtime/support/Status.h"
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyxc::kernelize {

/// What is known of the memory that a program's ports stand for.
struct PortFacts {
  /// Input ports whose data is known when the plan is loaded, so a contraction may want them
  /// packed.
  std::vector<uint32_t> constant;
  /// Output ports whose address is a multiple of `alignment` bytes.
  std::vector<uint32_t> aligned;
  int64_t alignment = 0;
};

/// Prints programs as zyxk kernels; owns the MLIR context that this takes. Not thread-safe.
class ZyxkEmitter {
public:
  /// `schedules`: kernels come with those of the host; else the target's lowering picks.
  explicit ZyxkEmitter(bool schedules = true);
  ~ZyxkEmitter();

  /// A module with one kernel of this name. The same arguments give the same text. Fails (Internal)
  /// if the kernel does not verify.
  Expected<std::string> emit(const Program &program, std::string_view name, const PortFacts &facts);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc::kernelize
