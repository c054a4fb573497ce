// The table of docs/semantics.md, row by row.
#include "dialects/zyx/semantics/Scalar.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace zyxc;

static constexpr int64_t min64 = std::numeric_limits<int64_t>::min();
static constexpr int64_t max64 = std::numeric_limits<int64_t>::max();

static int64_t ints(OpKind kind, DType dtype, int64_t x, int64_t y) {
  return evalBinary(kind, dtype, {.i = x}, {.i = y}).i;
}
static int64_t ints(OpKind kind, DType dtype, int64_t x) {
  return evalUnary(kind, dtype, {.i = x}).i;
}
static double floats(OpKind kind, DType dtype, double x, double y) {
  return evalBinary(kind, dtype, {.f = x}, {.f = y}).f;
}
static double floats(OpKind kind, double x) {
  return evalUnary(kind, DType::F32, {.f = x}).f;
}
static bool compare(OpKind kind, double x, double y) {
  return evalBinary(kind, DType::F32, {.f = x}, {.f = y}).i != 0;
}
static int64_t toInt(DType to, double x) {
  return evalCast(DType::F32, to, {.f = x}).i;
}

TEST_CASE("integer arithmetic wraps", "[scalar]") {
  REQUIRE(ints(OpKind::Add, DType::I8, 127, 1) == -128);
  REQUIRE(ints(OpKind::Sub, DType::U8, 0, 1) == 255);
  REQUIRE(ints(OpKind::Mul, DType::I32, 1 << 30, 4) == 0);
  REQUIRE(ints(OpKind::Mul, DType::I64, max64, 2) == -2);
  REQUIRE(ints(OpKind::Neg, DType::I16, -32768) == -32768);
  REQUIRE(ints(OpKind::Neg, DType::U32, 1) == 0xffffffff);
  REQUIRE(ints(OpKind::Abs, DType::I64, min64) == min64);
  REQUIRE(ints(OpKind::Sign, DType::I8, -5) == -1);
  REQUIRE(ints(OpKind::Sign, DType::U64, -5) == 1);
}

TEST_CASE("integer division truncates; by zero it gives 0 and the remainder x", "[scalar]") {
  REQUIRE(ints(OpKind::Div, DType::I32, -7, 2) == -3);
  REQUIRE(ints(OpKind::Rem, DType::I32, -7, 2) == -1);
  REQUIRE(ints(OpKind::Mod, DType::I32, -7, 2) == 1);
  REQUIRE(ints(OpKind::Mod, DType::I32, 7, -2) == -1);
  REQUIRE(ints(OpKind::Div, DType::U64, -1, 2) == max64);
  for (DType dtype : {DType::I8, DType::I64, DType::U8, DType::U64}) {
    REQUIRE(ints(OpKind::Div, dtype, 7, 0) == 0);
    REQUIRE(ints(OpKind::Rem, dtype, 7, 0) == 7);
    REQUIRE(ints(OpKind::Mod, dtype, 7, 0) == 7);
  }
  REQUIRE(ints(OpKind::Div, DType::I8, -128, -1) == -128);
  REQUIRE(ints(OpKind::Rem, DType::I8, -128, -1) == 0);
  REQUIRE(ints(OpKind::Div, DType::I64, min64, -1) == min64);
  REQUIRE(ints(OpKind::Mod, DType::I64, min64, -1) == 0);
}

TEST_CASE("shifts beyond the width give 0, or the sign", "[scalar]") {
  REQUIRE(ints(OpKind::Shl, DType::I8, 1, 7) == -128);
  REQUIRE(ints(OpKind::Shl, DType::I8, 1, 8) == 0);
  REQUIRE(ints(OpKind::Shl, DType::U64, 1, 64) == 0);
  REQUIRE(ints(OpKind::Shl, DType::I32, 1, -1) == 0);
  REQUIRE(ints(OpKind::Shr, DType::I8, -128, 3) == -16);
  REQUIRE(ints(OpKind::Shr, DType::I8, -1, 100) == -1);
  REQUIRE(ints(OpKind::Shr, DType::I64, min64, 64) == -1);
  REQUIRE(ints(OpKind::Shr, DType::U8, 200, 8) == 0);
  REQUIRE(ints(OpKind::Shr, DType::U64, -1, 63) == 1);
}

TEST_CASE("integer powers wrap; negative exponents divide", "[scalar]") {
  REQUIRE(ints(OpKind::Pow, DType::I32, 3, 4) == 81);
  REQUIRE(ints(OpKind::Pow, DType::I32, 2, 32) == 0);
  REQUIRE(ints(OpKind::Pow, DType::I8, -2, 7) == -128);
  REQUIRE(ints(OpKind::Pow, DType::I32, 0, 0) == 1);
  REQUIRE(ints(OpKind::Pow, DType::I32, 0, -1) == 0);
  REQUIRE(ints(OpKind::Pow, DType::I32, 1, -3) == 1);
  REQUIRE(ints(OpKind::Pow, DType::I32, -1, -3) == -1);
  REQUIRE(ints(OpKind::Pow, DType::I32, -1, -2) == 1);
  REQUIRE(ints(OpKind::Pow, DType::I32, 2, -1) == 0);
  REQUIRE(ints(OpKind::Pow, DType::U8, 255, 2) == 1);
}

TEST_CASE("bits and bools", "[scalar]") {
  REQUIRE(ints(OpKind::Not, DType::Bool, 0) == 1);
  REQUIRE(ints(OpKind::Not, DType::Bool, 1) == 0);
  REQUIRE(ints(OpKind::Not, DType::U8, 1) == 254);
  REQUIRE(ints(OpKind::Not, DType::I8, 1) == -2);
  REQUIRE(ints(OpKind::Xor, DType::Bool, 1, 1) == 0);
  REQUIRE(ints(OpKind::Lt, DType::Bool, 0, 1) == 1);
  REQUIRE(ints(OpKind::Lt, DType::U64, 1, -1) == 1);
  REQUIRE(ints(OpKind::Lt, DType::I64, 1, -1) == 0);
}

TEST_CASE("casts saturate, wrap or round", "[scalar]") {
  REQUIRE(toInt(DType::U32, -3.0) == 0);
  REQUIRE(toInt(DType::U8, 300.0) == 255);
  REQUIRE(toInt(DType::I32, NAN) == 0);
  REQUIRE(toInt(DType::I8, -1e9) == -128);
  REQUIRE(toInt(DType::I8, 2.9) == 2);
  REQUIRE(toInt(DType::I8, -2.9) == -2);
  REQUIRE(toInt(DType::I64, INFINITY) == max64);
  REQUIRE(toInt(DType::I64, -INFINITY) == min64);
  REQUIRE(toInt(DType::U64, INFINITY) == -1);
  REQUIRE(toInt(DType::U64, 0x1p63) == min64);
  REQUIRE(toInt(DType::Bool, 0.25) == 1);
  REQUIRE(toInt(DType::Bool, NAN) == 1);
  REQUIRE(toInt(DType::Bool, -0.0) == 0);
  REQUIRE(evalCast(DType::I32, DType::I8, {.i = 300}).i == 44);
  REQUIRE(evalCast(DType::I32, DType::U8, {.i = -1}).i == 255);
  REQUIRE(evalCast(DType::I32, DType::Bool, {.i = 256}).i == 1);
  REQUIRE(evalCast(DType::Bool, DType::F16, {.i = 1}).f == 1);
  REQUIRE(evalCast(DType::U64, DType::F32, {.i = -1}).f == 0x1p64);
  REQUIRE(evalCast(DType::I32, DType::F16, {.i = 100000}).f == INFINITY);
  REQUIRE(std::isnan(evalCast(DType::F32, DType::F8E4M3FN, {.f = 1000}).f));
}

TEST_CASE("an integer is rounded once on its way to a narrow float", "[scalar]") {
  // 2^62 + 2^38 is halfway between two f32; one more must round up, although f64 loses that one.
  int64_t halfway = (1ll << 62) + (1ll << 38);
  REQUIRE(evalCast(DType::I64, DType::F32, {.i = halfway}).f == 0x1p62);
  REQUIRE(evalCast(DType::I64, DType::F32, {.i = halfway + 1}).f == 0x1p62 + 0x1p39);
  for (int64_t value : {max64, min64, halfway + 1, -halfway - 1, int64_t{0}, int64_t{-1}}) {
    REQUIRE(evalCast(DType::I64, DType::F32, {.i = value}).f == static_cast<float>(value));
  }
}

TEST_CASE("NaN wins in min and max and fails comparisons", "[scalar]") {
  for (OpKind kind : {OpKind::Max, OpKind::Min}) {
    REQUIRE(std::isnan(floats(kind, DType::F32, NAN, 1)));
    REQUIRE(std::isnan(floats(kind, DType::F32, 1, NAN)));
    REQUIRE(std::isnan(floats(kind, DType::F32, NAN, INFINITY)));
  }
  REQUIRE(!std::signbit(floats(OpKind::Max, DType::F32, -0.0, 0.0)));
  REQUIRE(!std::signbit(floats(OpKind::Max, DType::F32, 0.0, -0.0)));
  REQUIRE(std::signbit(floats(OpKind::Min, DType::F32, 0.0, -0.0)));
  for (OpKind kind : {OpKind::Eq, OpKind::Lt, OpKind::Le, OpKind::Gt, OpKind::Ge}) {
    REQUIRE(!compare(kind, NAN, 1));
    REQUIRE(!compare(kind, 1, NAN));
    REQUIRE(!compare(kind, NAN, NAN));
  }
  REQUIRE(compare(OpKind::Ne, NAN, NAN));
  REQUIRE(compare(OpKind::Eq, 0.0, -0.0));
  REQUIRE(!compare(OpKind::Lt, -0.0, 0.0));
}

TEST_CASE("rounding, signs and remainders of floats", "[scalar]") {
  REQUIRE(floats(OpKind::Round, 0.5) == 0);
  REQUIRE(floats(OpKind::Round, 1.5) == 2);
  REQUIRE(floats(OpKind::Round, -2.5) == -2);
  REQUIRE(std::signbit(floats(OpKind::Round, -0.5)));
  REQUIRE(floats(OpKind::Trunc, -2.7) == -2);
  REQUIRE(floats(OpKind::Sign, -3) == -1);
  REQUIRE(std::signbit(floats(OpKind::Sign, -0.0)));
  REQUIRE(std::isnan(floats(OpKind::Sign, NAN)));
  REQUIRE(floats(OpKind::Rem, DType::F32, -7, 3) == -1);
  REQUIRE(floats(OpKind::Mod, DType::F32, -7, 3) == 2);
  REQUIRE(floats(OpKind::Mod, DType::F32, 7, -3) == -2);
  REQUIRE(std::signbit(floats(OpKind::Mod, DType::F32, 6, -3)));
  REQUIRE(std::isnan(floats(OpKind::Mod, DType::F32, 6, 0)));
  REQUIRE(floats(OpKind::Div, DType::F32, 1, 0) == INFINITY);
  REQUIRE(floats(OpKind::Pow, DType::F32, 0, 0) == 1);
  REQUIRE(floats(OpKind::Add, DType::F16, 2048, 1) == 2048);
  REQUIRE(floats(OpKind::Mul, DType::F16, 300, 300) == INFINITY);
  REQUIRE(evalUnary(OpKind::IsNan, DType::F16, {.f = NAN}).i == 1);
  REQUIRE(evalUnary(OpKind::IsInf, DType::F16, {.f = -INFINITY}).i == 1);
}

TEST_CASE("an identity leaves every other element as it is", "[scalar]") {
  for (OpKind kind : {OpKind::ReduceSum, OpKind::ReduceProd, OpKind::ReduceMax, OpKind::ReduceMin,
                      OpKind::ReduceAnd, OpKind::ReduceOr}) {
    for (const DTypeInfo &row : dtypeTable) {
      if (!isDefinedOn(kind, row.dtype)) {
        continue;
      }
      for (uint64_t bits = 0; bits < 256; ++bits) {
        uint64_t pattern = row.dtype == DType::Bool ? bits & 1 : bits << (bitWidth(row.dtype) - 8);
        Scalar value = loadScalar(row.dtype, &pattern);
        Scalar result = reduceStep(kind, row.dtype, reduceIdentity(kind, row.dtype), value);
        uint64_t stored = 0;
        storeScalar(row.dtype, result, &stored);
        bool isNan = isFloat(row.dtype) && std::isnan(value.f);
        bool isZero = isFloat(row.dtype) && value.f == 0; // -0.0 + 0.0 is 0.0
        REQUIRE((stored == pattern || isNan || (isZero && result.f == 0)));
      }
    }
  }
}
