// What host code is made for: the processor, its features and the widest vectors worth using.
#pragma once
#include "runtime/support/Status.h"
#include <string>
#include <string_view>
#include <vector>

namespace zyxc {

/// A processor to make code for.
struct HostTarget {
  std::string cpu;      ///< LLVM's name of the processor, e.g. "znver4"
  std::string features; ///< LLVM's feature string, e.g. "+avx2,+fma"
  unsigned vectorBits = 128;
  bool exact = false; ///< numerics level exact: each op rounds as it stands

  /// This machine.
  static HostTarget detect();
  /// x86-64-v3 (AVX2 and FMA): runs on every machine that zyxc supports.
  static HostTarget baseline();
  /// The machine that a name of --target stands for: "host", "host-avx2", "host-avx512",
  /// "host-scalar". Device where this processor cannot run its code.
  static Expected<HostTarget> named(std::string_view name);

  /// The processor that code of a model is made for: "cpu" or "cpu:native" is this machine,
  /// "cpu:x86-64-v3" and "cpu:x86-64-v4" the levels of the x86-64 psABI. Usage if there is no such.
  static Expected<HostTarget> ofModel(std::string_view name);
  /// The name in full: "cpu:native" for "cpu".
  static std::string fullName(std::string_view name);
  /// True if a name is one of this kind, right or wrong.
  static bool isOfModel(std::string_view name);

  /// Instruction sets that code for the target may use, by LLVM's names, sorted.
  std::vector<std::string> neededFeatures() const;

  /// One line, the same for equal targets: part of cache keys and reports.
  std::string describe() const;
};

} // namespace zyxc
