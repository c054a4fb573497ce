// Running states of a fold, a lane each.
#pragma once
#include "compiler/interp/kernel/BodyGraph.h"

namespace zyxc::kernelinterp {

/// Lanes of several values: words per value, and their tags (null: none is tagged).
struct FoldLanes {
  std::vector<const Word *> words;
  std::vector<const uint16_t *> tags;
  const int64_t *mask = nullptr; ///< 0: the lane does not take part; null: all do
  int count = 1;
};

class FoldStates {
public:
  /// `step` must outlive this object.
  explicit FoldStates(const FoldStep &step);

  /// Starts a fold per lane of `inits`, which has a value per state.
  void reset(const FoldLanes &inits);
  /// One step of fold i at lane i of the values.
  void addLanes(const FoldLanes &values);
  /// All lanes of the values are steps of fold 0, in order.
  void addAcross(const FoldLanes &values);
  Word result(unsigned state, int lane) const { return slot(state)[lane]; }
  uint16_t tag(int lane) const { return tags[lane]; }

private:
  const Word *slot(unsigned number) const { return &slots[number * maxLanes]; }
  Word *slot(unsigned number) { return &slots[number * maxLanes]; }
  /// Evaluates the ops, then the next states of the lanes that take part.
  void run(const int64_t *mask, int count);
  void join(const FoldLanes &values, int from, int lane);

  const FoldStep &step;
  std::vector<Word> slots; ///< maxLanes words each
  std::vector<Word> next;  ///< of the states
  uint16_t tags[maxLanes];
};

} // namespace zyxc::kernelinterp
