// A GraphBuilder that also makes the ops with regions: zyx.if and zyx.loop.
#pragma once
#include "dialects/zyx/semantics/GraphBuilder.h"

namespace zyxc {

class RegionBuilder : public GraphBuilder {
public:
  /// A region that was written and is part of no op: each one ends in one of the calls below.
  struct Region {
    uint32_t id = ~0u;
  };

  /// What is added from now on, except constants, is in a new region; values from outside are
  /// visible. The values of its arguments.
  virtual std::vector<GraphValue> beginRegion(std::span<const TensorType> arguments) = 0;
  /// Ends the region that was begun last; it yields these values.
  virtual Region endRegion(std::span<const GraphValue> yielded) = 0;

  /// Forgets a region, and its values.
  virtual void drop(Region region) = 0;
  /// Adds the ops of a region without arguments here: its values are visible from now on.
  virtual void splice(Region region) = 0;
  /// Results of zyx.if; both regions yield values of the same types.
  virtual std::vector<GraphValue> branch(GraphValue condition, Region taken, Region other) = 0;
  /// Results of zyx.loop; the types fit as its verifier wants them.
  virtual std::vector<GraphValue> loop(int64_t limit, GraphValue first,
                                       std::span<const GraphValue> inits, Region body) = 0;
};

} // namespace zyxc
