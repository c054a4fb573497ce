// From a Program to the text of a zyxk kernel, with the schedule of its family.
#pragma once
#include "compiler/kernelize/Program.h"
#include "runtime/support/Status.h"
#include <memory>
#include <span>
#include <string>

namespace zyxc::kernelize {

/// Prints programs as zyxk kernels; owns the MLIR context that this takes. Not thread-safe.
class ZyxkEmitter {
public:
  ZyxkEmitter();
  ~ZyxkEmitter();

  /// A module with one kernel of this name. `constantPorts`: input ports whose data is known when
  /// the plan is loaded, so a contraction may want them packed. The same arguments give the same
  /// text. Fails (Internal) if the kernel does not verify.
  Expected<std::string> emit(const Program &program, std::string_view name,
                             std::span<const uint32_t> constantPorts);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace zyxc::kernelize
