#include "compiler/egraph/Budget.h"

namespace zyxc::egraph {

const char *toString(StopReason reason) {
  switch (reason) {
  case StopReason::Saturated: return "saturated";
  case StopReason::NodeLimit: return "node limit";
  case StopReason::MatchLimit: return "match limit";
  case StopReason::IterationLimit: return "iteration limit";
  case StopReason::MemoryLimit: return "memory limit";
  case StopReason::Conflict: return "conflict";
  }
  return "";
}

} // namespace zyxc::egraph
