// `zyxc egraph extract|stats FILE`: e-graphs in egraph-serialize JSON, without tensors. docs/cli.md
// describes the options; the table of options is in EGraphCommandLine.cpp.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <span>
#include <string>

namespace zyxc::tool {

/// The options of all actions.
struct EGraphLine {
  std::string file;
  uint64_t budget = 0;      ///< extract: search nodes; 0: the extractor's default
  bool repairRoots = false; ///< roots that are no class are dropped
  bool json = false;        ///< print JSON
};

/// Runs `zyxc egraph` with the arguments after `egraph`. Prints to standard output.
Status egraphCommand(std::span<char *const> arguments);

Status extractFromFile(const EGraphLine &line);
Status printEGraphStats(const EGraphLine &line);

} // namespace zyxc::tool
