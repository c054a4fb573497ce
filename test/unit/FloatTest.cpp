// Narrow float conversions: every bit pattern, against independent conversions from f32.
#include "runtime/core/Float.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace zyxc;

TEST_CASE("every narrow bit pattern survives the way through f64", "[float]") {
  for (DType dtype : {DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2}) {
    uint64_t patterns = 1ull << bitWidth(dtype);
    for (uint64_t bits = 0; bits < patterns; ++bits) {
      double value = floatFromBits(dtype, bits);
      uint64_t back = floatToBits(dtype, value);
      if (std::isnan(value)) {
        REQUIRE(std::isnan(floatFromBits(dtype, back)));
        REQUIRE((back >> (bitWidth(dtype) - 1)) == (bits >> (bitWidth(dtype) - 1)));
      } else {
        REQUIRE(back == bits);
      }
    }
  }
}

/// Compares with conversions from and to f32, given as functions of bits.
template <class Widen, class Narrow>
static void compareWithF32(DType dtype, Widen widen, Narrow narrow) {
  for (uint32_t upper = 0; upper < 1u << 16; ++upper) {
    double exact = widen(static_cast<uint16_t>(upper));
    double ours = floatFromBits(dtype, upper);
    REQUIRE((std::isnan(exact) ? std::isnan(ours)
                               : std::bit_cast<uint64_t>(exact) == std::bit_cast<uint64_t>(ours)));
    for (uint32_t lower : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu,
                           0x8000u, 0x8001u, 0xffffu}) {
      auto value = std::bit_cast<float>(upper << 16 | lower);
      uint64_t bits = floatToBits(dtype, value);
      if (std::isnan(value)) {
        REQUIRE(std::isnan(floatFromBits(dtype, bits)));
      } else {
        REQUIRE(bits == narrow(value));
      }
    }
  }
}

TEST_CASE("f16 rounds as the compiler's _Float16", "[float]") {
  compareWithF32(
      DType::F16, [](uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); },
      [](float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); });
}

TEST_CASE("bf16 rounds as the upper half of an f32", "[float]") {
  compareWithF32(
      DType::BF16,
      [](uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); },
      [](float value) {
        auto bits = std::bit_cast<uint32_t>(value);
        return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
      });
}

TEST_CASE("a value between two f8 neighbours goes to the nearer one, ties to even", "[float]") {
  for (DType dtype : {DType::F8E4M3FN, DType::F8E5M2}) {
    uint64_t largest = dtype == DType::F8E4M3FN ? 0x7e : 0x7b;
    for (uint64_t bits = 0; bits < largest; ++bits) {
      double low = floatFromBits(dtype, bits);
      double high = floatFromBits(dtype, bits + 1);
      double middle = (low + high) / 2;
      REQUIRE(low < high);
      REQUIRE(floatToBits(dtype, middle) == bits + (bits & 1));
      REQUIRE(floatToBits(dtype, std::nextafter(middle, 0)) == bits);
      REQUIRE(floatToBits(dtype, std::nextafter(middle, high)) == bits + 1);
      REQUIRE(floatToBits(dtype, -std::nextafter(middle, 0)) == (bits | 0x80));
    }
  }
}

TEST_CASE("overflow gives infinity, or NaN where there is none", "[float]") {
  REQUIRE(floatToBits(DType::F16, 65519.99) == 0x7bff);
  REQUIRE(floatToBits(DType::F16, 65520) == 0x7c00);
  REQUIRE(floatToBits(DType::BF16, 1e39) == 0x7f80);
  REQUIRE(floatToBits(DType::F8E5M2, -1e9) == 0xfc);
  REQUIRE(floatToBits(DType::F8E4M3FN, 464) == 0x7e);
  REQUIRE(floatToBits(DType::F8E4M3FN, 464.1) == 0x7f);
  REQUIRE(floatToBits(DType::F8E4M3FN, -INFINITY) == 0xff);
  REQUIRE(floatToBits(DType::F32, 1e39) == 0x7f800000);
}

TEST_CASE("values below half of the smallest denormal become a signed zero", "[float]") {
  for (DType dtype : {DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2}) {
    double smallest = floatFromBits(dtype, 1);
    uint64_t sign = 1ull << (bitWidth(dtype) - 1);
    REQUIRE(floatToBits(dtype, smallest / 2) == 0);
    REQUIRE(floatToBits(dtype, std::nextafter(smallest / 2, 1)) == 1);
    REQUIRE(floatToBits(dtype, -smallest / 4) == sign);
    REQUIRE(floatToBits(dtype, 5e-324) == 0);
    REQUIRE(floatToBits(dtype, -0.0) == sign);
  }
}
