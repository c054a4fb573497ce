// Instruction sets of a processor, by the names that LLVM gives them: what machine code needs and
// what this machine has.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc {

/// A set of names such as "avx2" and "avx512f".
class CpuFeatures {
public:
  explicit CpuFeatures(std::vector<std::string> names);

  /// What this processor has and the operating system saves the registers of.
  static CpuFeatures detect();
  /// True if detect() can tell whether a processor has the feature.
  static bool isKnown(std::string_view name);

  bool has(std::string_view name) const;
  /// Those of `needed` that the set lacks, in their order.
  std::vector<std::string> missing(std::span<const std::string> needed) const;
  /// Sorted.
  const std::vector<std::string> &names() const { return sorted; }

private:
  std::vector<std::string> sorted;
};

/// "avx,avx2,fma" as a list of names.
std::vector<std::string> splitFeatures(std::string_view text);

} // namespace zyxc
