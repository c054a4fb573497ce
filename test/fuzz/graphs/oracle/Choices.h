// What a correct target may do one way or another, chosen at random in each of many runs.
#pragma once
#include "runtime/core/Tensor.h"
#include <cmath>
#include <random>

namespace zyxc::fuzz {

/// Distance of the floats of a dtype near a finite value.
double unitInTheLastPlace(DType dtype, double value);

/// Elements of one op often err alike: equal addends are rounded to the same side, each time. So
/// in some runs all elements of an op go the same way, and only in others each goes its own.
class Choices {
public:
  explicit Choices(uint64_t seed) : random(seed) {}
  void startRun(int number) { run = number; }

  /// Elements moved by up to so many units in the last place; zeros, infinities and NaN stay.
  Tensor moved(const Tensor &x, double units);
  /// Elements moved by up to their distance; infinities and NaN stay.
  template <class Distance> Tensor movedBy(const Tensor &x, Distance distance) {
    Tensor result = Tensor::allocate(x.type());
    Drift drift = nextDrift();
    for (int64_t i = 0; i < x.numElements(); ++i) {
      double value = x.asDouble(i);
      double far = std::isfinite(value) ? distance(i) : 0;
      result.setDouble(i, far == 0 ? value : value + step(drift, value) * far);
    }
    return result;
  }
  /// Gives every zero a sign.
  void signZeros(const Tensor &x);
  /// Replaces the elements of which `isOpen(i)` holds by infinities, NaN, or numbers.
  template <class IsOpen> void openClasses(const Tensor &x, IsOpen isOpen) {
    Class all = nextClass();
    for (int64_t i = 0; i < x.numElements(); ++i) {
      if (isOpen(i)) {
        x.setDouble(i, valueOf(all, x.asDouble(i)));
      }
    }
  }
  /// The float's bits where those that depend on how it was rounded are filled in: all below the
  /// first in which it differs from the undisturbed value, and of a NaN the sign and the payload.
  Tensor withOpenBits(const Tensor &x, const Tensor &undisturbed);

private:
  /// How the elements of one op move.
  enum class Drift : uint8_t { Each, Up, Down, Outward, Inward, Nowhere };
  enum class Fill : uint8_t { Each, Zeros, Ones };
  enum class Class : uint8_t { Infinite, NegativeInfinite, NaN, Zero, Same, Huge, Each };

  Drift nextDrift();
  Fill nextFill();
  Class nextClass();
  /// From -1 to 1.
  double step(Drift drift, double value);
  uint64_t bits(Fill fill);
  double valueOf(Class which, double value);

  std::mt19937_64 random;
  int run = 0;
};

} // namespace zyxc::fuzz
