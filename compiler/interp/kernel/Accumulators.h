// Running values of a reduction, a lane each.
#pragma once
#include "compiler/interp/kernel/BodyGraph.h"

namespace zyxc::kernelinterp {

/// The identity of a monoid over values of `type`; of arg kinds that of the compared value.
Word identityOf(zyxk::ReduceKind kind, ScalarType type);

/// Two values joined by a monoid that is not an arg kind.
Word combineWords(zyxk::ReduceKind kind, ScalarType type, Word a, Word b);

/// Values of the points of one step, as a reduction takes them.
struct PointBlock {
  const Word *values = nullptr;
  const uint16_t *tags = nullptr; ///< null: none is tagged
  const int64_t *mask = nullptr;  ///< 0: the lane does not take part; null: all do
  int count = 1;
  int64_t position = 0;     ///< of lane 0 along the axis of an arg reduction
  int64_t positionStep = 0; ///< from lane to lane
};

class Accumulators {
public:
  Accumulators(zyxk::ReduceKind kind, bool last, ScalarType valueType)
      : kind(kind), last(last), type(valueType) {}

  /// Starts `lanes` reductions.
  void reset(int lanes);
  /// Lane i of the block joins reduction i.
  void addLanes(const PointBlock &block);
  /// Lane `from` of the block joins reduction `lane`.
  void addOne(int lane, const PointBlock &block, int from);
  /// All lanes of the block join reduction 0, in order.
  void addAcross(const PointBlock &block);
  /// The value of a reduction, the position for arg kinds.
  Word result(int lane) const;
  uint16_t tag(int lane) const { return tags[lane]; }

private:
  void add(int lane, Word value, int64_t position);
  void addArg(int lane, Word value, int64_t position);

  zyxk::ReduceKind kind;
  bool last;
  ScalarType type;
  Word words[maxLanes];
  int64_t positions[maxLanes];
  uint16_t tags[maxLanes];
};

} // namespace zyxc::kernelinterp
