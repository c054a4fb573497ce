// Limits of a saturation run, in counts and never in seconds: the same input stops at the same
// place on every machine. They are tested before each single match is applied.
#pragma once
#include <cstdint>
#include <string>

namespace zyxc::egraph {

/// Why a saturation run ended.
enum class StopReason : uint8_t {
  Saturated,      ///< no rule adds anything
  NodeLimit,      ///< maxNodes
  MatchLimit,     ///< maxMatches
  IterationLimit, ///< maxIterations
  MemoryLimit,    ///< maxBytes
  Conflict,       ///< two different values in one class
};

/// "saturated", "node limit", ...
const char *toString(StopReason reason);

/// The limits of one run.
struct Budget {
  uint64_t maxNodes = 200'000;   ///< nodes in the graph, duplicates included
  uint64_t maxMatches = 500'000; ///< matches applied
  uint64_t maxIterations = 30;   ///< rounds of match, apply, rebuild
  uint64_t maxBytes = ~0ull;     ///< of the graph and of matches that wait
};

} // namespace zyxc::egraph
