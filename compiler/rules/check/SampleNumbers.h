// The numbers that a random instance of a rule is made of. Each is a choice out of some, the
// simplest first; choices are recorded, so that an instance can be made again from its list, and a
// smaller list makes a simpler instance.
#pragma once
#include "compiler/rules/Rule.h"
#include <random>

namespace zyxc::rules {

/// What an instance is computed with.
enum class Arithmetic : uint8_t {
  Machine, ///< the dtypes as they are
  Field,   ///< numbers modulo a prime in place of floats (FieldEvaluator.h)
};

/// How large random tensors are at most.
struct SampleSize {
  uint64_t rank = 3;
  uint64_t extent = 4;
};

class SampleNumbers {
public:
  /// Random choices.
  SampleNumbers(uint64_t seed, Arithmetic arithmetic, SampleSize size = {})
      : random(seed), size(size), overField(isField(arithmetic)) {}
  /// The choices of a list, then the simplest ones.
  SampleNumbers(std::vector<uint64_t> choices, Arithmetic arithmetic)
      : replayed(std::move(choices)), replays(true), overField(isField(arithmetic)) {}

  /// The choices made so far.
  const std::vector<uint64_t> &choices() const { return made; }

  /// 0 ... bound - 1; with bound 0 any number.
  uint64_t below(uint64_t bound);
  bool chance(int percent) { return below(100) >= static_cast<uint64_t>(100 - percent); }
  bool isOverField() const { return overField; }

  /// One that a variable accepts; floats more often than others where all are.
  DType dtype(const Constraint &constraint);
  /// Each as often as the others: what a conversion goes to.
  DType anyDType();
  Shape shape();
  /// Random elements. Floats: with `special`, NaN, infinities, zeros of both signs and denormals
  /// are frequent; else all are moderate. Integers: the extremes are frequent.
  Tensor tensor(const TensorType &type, bool special);
  /// A number that all elements have. Over the field a power of two, whose reciprocal is a float.
  Tensor splat(DType dtype, bool special);
  /// Elements of the field, as i64; of bool 0 and 1.
  Tensor fieldTensor(const TensorType &type);

private:
  static bool isField(Arithmetic arithmetic) { return arithmetic == Arithmetic::Field; }
  /// 0, 1, -1, 2, ...
  int64_t small(uint64_t count);
  double moderate();
  double specialFloat();
  int64_t integer();

  std::mt19937_64 random;
  std::vector<uint64_t> replayed;
  bool replays = false;
  SampleSize size;
  bool overField;
  std::vector<uint64_t> made;
};

} // namespace zyxc::rules
