// The scalar functions behind the elementwise ops, each written once (docs/semantics.md). A visit
// function calls `visit` with the function of a kind, so that a caller may evaluate one element or
// instantiate a whole loop around it. Floats are doubles here: the caller rounds the result to the
// dtype. Integers are sign- or zero-extended to 64 bits: the caller wraps the result to the dtype.
#pragma once
#include "dialects/zyx/semantics/OpKind.h"
#include <cassert>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace zyxc::scalar {

inline double signOf(double x) {
  return x > 0 ? 1 : (x < 0 ? -1 : x);
}

/// Larger value; NaN wins; of two zeros the positive one.
inline double maxOf(double x, double y) {
  if (x != x || y != y) {
    return x != x ? x : y;
  }
  return x == y ? (std::signbit(x) ? y : x) : (x > y ? x : y);
}

/// Smaller value; NaN wins; of two zeros the negative one.
inline double minOf(double x, double y) {
  return -maxOf(-x, -y);
}

/// Remainder with the sign of y; a zero result has the sign of y too.
inline double modOf(double x, double y) {
  double rest = std::fmod(x, y);
  if (rest == 0) {
    return std::copysign(rest, y);
  }
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

/// double -> double of a unary op on floats.
template <class Visit> decltype(auto) visitFloatUnary(OpKind kind, Visit &&visit) {
  switch (kind) {
  case OpKind::Neg: return visit([](double x) { return -x; });
  case OpKind::Abs: return visit([](double x) { return std::fabs(x); });
  case OpKind::Sign: return visit(signOf);
  case OpKind::Ceil: return visit([](double x) { return std::ceil(x); });
  case OpKind::Floor: return visit([](double x) { return std::floor(x); });
  case OpKind::Round: return visit([](double x) { return std::nearbyint(x); });
  case OpKind::Trunc: return visit([](double x) { return std::trunc(x); });
  case OpKind::Sqrt: return visit([](double x) { return std::sqrt(x); });
  case OpKind::Rsqrt: return visit([](double x) { return 1 / std::sqrt(x); });
  case OpKind::Recip: return visit([](double x) { return 1 / x; });
  case OpKind::Exp: return visit([](double x) { return std::exp(x); });
  case OpKind::Exp2: return visit([](double x) { return std::exp2(x); });
  case OpKind::Expm1: return visit([](double x) { return std::expm1(x); });
  case OpKind::Log: return visit([](double x) { return std::log(x); });
  case OpKind::Log2: return visit([](double x) { return std::log2(x); });
  case OpKind::Log1p: return visit([](double x) { return std::log1p(x); });
  case OpKind::Sin: return visit([](double x) { return std::sin(x); });
  case OpKind::Cos: return visit([](double x) { return std::cos(x); });
  case OpKind::Tan: return visit([](double x) { return std::tan(x); });
  case OpKind::Asin: return visit([](double x) { return std::asin(x); });
  case OpKind::Acos: return visit([](double x) { return std::acos(x); });
  case OpKind::Atan: return visit([](double x) { return std::atan(x); });
  case OpKind::Sinh: return visit([](double x) { return std::sinh(x); });
  case OpKind::Cosh: return visit([](double x) { return std::cosh(x); });
  case OpKind::Tanh: return visit([](double x) { return std::tanh(x); });
  case OpKind::Asinh: return visit([](double x) { return std::asinh(x); });
  case OpKind::Acosh: return visit([](double x) { return std::acosh(x); });
  case OpKind::Atanh: return visit([](double x) { return std::atanh(x); });
  default: break;
  }
  assert(kind == OpKind::Erf && "a unary op with a float result");
  return visit([](double x) { return std::erf(x); });
}

/// double -> bool of is_nan and is_inf.
template <class Visit> decltype(auto) visitFloatTest(OpKind kind, Visit &&visit) {
  if (kind == OpKind::IsNan) {
    return visit([](double x) { return x != x; });
  }
  assert(kind == OpKind::IsInf && "a test of floats");
  return visit([](double x) { return std::isinf(x); });
}

/// (double, double) -> double of a binary op on floats.
template <class Visit> decltype(auto) visitFloatBinary(OpKind kind, Visit &&visit) {
  switch (kind) {
  case OpKind::Add: return visit([](double x, double y) { return x + y; });
  case OpKind::Sub: return visit([](double x, double y) { return x - y; });
  case OpKind::Mul: return visit([](double x, double y) { return x * y; });
  case OpKind::Div: return visit([](double x, double y) { return x / y; });
  case OpKind::Rem: return visit([](double x, double y) { return std::fmod(x, y); });
  case OpKind::Mod: return visit(modOf);
  case OpKind::Pow: return visit([](double x, double y) { return std::pow(x, y); });
  case OpKind::Max: return visit(maxOf);
  default: break;
  }
  assert(kind == OpKind::Min && "a binary op on floats");
  return visit(minOf);
}

/// (T, T) -> bool of a comparison; T is double, int64_t or uint64_t.
template <class T, class Visit> decltype(auto) visitCompare(OpKind kind, Visit &&visit) {
  switch (kind) {
  case OpKind::Eq: return visit([](T x, T y) { return x == y; });
  case OpKind::Ne: return visit([](T x, T y) { return x != y; });
  case OpKind::Lt: return visit([](T x, T y) { return x < y; });
  case OpKind::Le: return visit([](T x, T y) { return x <= y; });
  case OpKind::Gt: return visit([](T x, T y) { return x > y; });
  default: break;
  }
  assert(kind == OpKind::Ge && "a comparison");
  return visit([](T x, T y) { return x >= y; });
}

// Integers: T is int64_t for signed dtypes, uint64_t for unsigned ones and bool. Sums and products
// go through uint64_t, which wraps.

template <class T> T wrappingNeg(T x) {
  return static_cast<T>(0 - static_cast<uint64_t>(x));
}

/// Quotient toward zero; x / 0 = 0; the smallest integer by -1 wraps to itself.
template <class T> T divOf(T x, T y) {
  if (y == 0) {
    return 0;
  }
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) {
    return wrappingNeg(x);
  }
  return x / y;
}

/// x - divOf(x, y) * y: the sign of x; x for y = 0.
template <class T> T remOf(T x, T y) {
  if (y == 0) {
    return x;
  }
  return std::is_signed_v<T> && y == static_cast<T>(-1) ? T(0) : x % y;
}

/// Remainder with the sign of y; x for y = 0.
template <class T> T modOf(T x, T y) {
  T rest = remOf(x, y);
  return y != 0 && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/// Wrapping power; x^0 = 1. For y < 0 the quotient 1 / x^|y| toward zero: 1, -1 or 0.
template <class T> T powOf(T x, T y) {
  if (y < 0) {
    bool unit = x == 1 || (x == static_cast<T>(-1) && (y & 1) == 0);
    return unit ? T(1) : (x == static_cast<T>(-1) ? x : T(0));
  }
  uint64_t result = 1;
  auto base = static_cast<uint64_t>(x);
  for (auto left = static_cast<uint64_t>(y); left != 0; left >>= 1) {
    result = (left & 1) != 0 ? result * base : result;
    base *= base;
  }
  return static_cast<T>(result);
}

/// T -> T of a unary op on integers of `width` bits (bool: width 1).
template <class T, class Visit>
decltype(auto) visitIntUnary(OpKind kind, int width, Visit &&visit) {
  switch (kind) {
  case OpKind::Neg: return visit(wrappingNeg<T>);
  case OpKind::Abs: return visit([](T x) { return x < 0 ? wrappingNeg(x) : x; });
  case OpKind::Sign: return visit([](T x) { return static_cast<T>(T(x > 0) - T(x < 0)); });
  default: break;
  }
  assert(kind == OpKind::Not && "a unary op on integers");
  return visit([mask = width == 1 ? T(1) : static_cast<T>(~uint64_t(0))](T x) {
    return static_cast<T>(x ^ mask);
  });
}

/// (T, T) -> T of a binary op on integers of `width` bits.
template <class T, class Visit>
decltype(auto) visitIntBinary(OpKind kind, int width, Visit &&visit) {
  using U = uint64_t;
  switch (kind) {
  case OpKind::Add: return visit([](T x, T y) { return static_cast<T>(U(x) + U(y)); });
  case OpKind::Sub: return visit([](T x, T y) { return static_cast<T>(U(x) - U(y)); });
  case OpKind::Mul: return visit([](T x, T y) { return static_cast<T>(U(x) * U(y)); });
  case OpKind::Div: return visit(divOf<T>);
  case OpKind::Rem: return visit(remOf<T>);
  case OpKind::Mod: return visit([](T x, T y) { return modOf<T>(x, y); });
  case OpKind::Pow: return visit(powOf<T>);
  case OpKind::Max: return visit([](T x, T y) { return x > y ? x : y; });
  case OpKind::Min: return visit([](T x, T y) { return x < y ? x : y; });
  case OpKind::And: return visit([](T x, T y) { return static_cast<T>(x & y); });
  case OpKind::Or: return visit([](T x, T y) { return static_cast<T>(x | y); });
  case OpKind::Xor: return visit([](T x, T y) { return static_cast<T>(x ^ y); });
  case OpKind::Shl:
    return visit([width](T x, T y) {
      return U(y) < static_cast<U>(width) ? static_cast<T>(U(x) << U(y)) : T(0);
    });
  default: break;
  }
  assert(kind == OpKind::Shr && "a binary op on integers");
  return visit([width](T x, T y) {
    T fill = x < 0 ? static_cast<T>(-1) : T(0);
    return U(y) < static_cast<U>(width) ? static_cast<T>(x >> U(y)) : fill;
  });
}

} // namespace zyxc::scalar
