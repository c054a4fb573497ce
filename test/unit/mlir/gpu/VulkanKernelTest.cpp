// Code for Vulkan, run on the software device and compared with the host's arithmetic.
#include "test/unit/mlir/gpu/VulkanKernel.h"
#include "runtime/core/Float.h"
#include "test/unit/mlir/functions/Ulps.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace zyxc;
using namespace zyxc::test;

static float brain(uint64_t bits) {
  return static_cast<float>(floatFromBits(DType::BF16, bits));
}
static float half(uint64_t bits) {
  return static_cast<float>(floatFromBits(DType::F16, bits));
}

/// A kernel of one block whose thread i computes y[i] from `%v`, the element x[i]: `body` ends in
/// `%r`.
static std::string elementwise(const std::string &from, const std::string &to, int count,
                               const std::string &body) {
  return fmt::format(R"(
    gpu.module @k {{
      gpu.func @k(%x: memref<{2}x{0}, #gpu.address_space<global>>,
                  %y: memref<{2}x{1}, #gpu.address_space<global>>)
          kernel attributes {{zyxk.launch = 0 : i64, zyxk.grid = array<i64: {3}, 1, 1>,
                              known_block_size = array<i32: 64, 1, 1>}} {{
        %size = arith.constant 64 : index
        %block = gpu.block_id x
        %thread = gpu.thread_id x
        %start = arith.muli %block, %size : index
        %i = arith.addi %start, %thread : index
        %v = memref.load %x[%i] : memref<{2}x{0}, #gpu.address_space<global>>
        {4}
        memref.store %r, %y[%i] : memref<{2}x{1}, #gpu.address_space<global>>
        gpu.return
      }}
    }})",
                     from, to, count, count / 64, body);
}

/// Floats of all magnitudes, and the special ones.
static std::vector<float> trickyFloats(size_t count, float largest) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-30, std::log2(largest));
  std::vector<float> values = {0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 1e-20f, -1e-20f};
  while (values.size() < count) {
    float value = std::exp2(exponent(random));
    values.push_back(random() % 2 ? value : -value);
  }
  return values;
}

TEST_CASE("Vulkan computes functions of f32 within their bounds", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  struct Case {
    const char *op;
    double (*reference)(double);
    double bound; ///< ulps
    float largest;
  };
  auto rsqrt = [](double x) {
    return 1 / std::sqrt(x);
  };
  const Case cases[] = {
      {"math.exp", std::exp, 5, 200},       {"math.log", std::log, 2, 1e30f},
      {"math.log2", std::log2, 2, 1e30f},   {"math.log1p", std::log1p, 2, 1e30f},
      {"math.tanh", std::tanh, 2, 50},      {"math.erf", std::erf, 2, 20},
      {"math.expm1", std::expm1, 2, 88},    {"math.sqrt", std::sqrt, 4, 1e30f},
      {"math.floor", std::floor, 0, 1e9},   {"math.roundeven", std::nearbyint, 0, 1e9},
      {"math.rsqrt", rsqrt, 4, 1e30f},      {"math.exp2", std::exp2, 2, 150},
      {"math.sin", std::sin, 3, 1e6},       {"math.cos", std::cos, 3, 1e6},
      {"math.tan", std::tan, 5, 1e6},       {"math.asin", std::asin, 5, 1.01f},
      {"math.acos", std::acos, 5, 1.01f},   {"math.atan", std::atan, 5, 1e30f},
      {"math.sinh", std::sinh, 8, 91},      {"math.cosh", std::cosh, 8, 91},
      {"math.asinh", std::asinh, 5, 1e30f}, {"math.acosh", std::acosh, 5, 1e30f},
      {"math.atanh", std::atanh, 5, 1.01f},
  };
  for (const Case &test : cases) {
    INFO(test.op);
    std::vector<float> x = trickyFloats(1024, test.largest);
    auto ports =
        vulkan->run(elementwise("f32", "f32", 1024, fmt::format("%r = {} %v : f32", test.op)),
                    {bytesOf(x), bytesOf(std::vector<float>(1024, -7))});
    auto y = elementsOf<float>(ports[1]);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      double distance = ulps(y[i], test.reference(x[i]));
      if (distance > test.bound) {
        UNSCOPED_INFO("x " << x[i] << " gives " << y[i] << ", not " << test.reference(x[i]));
      }
      worst = std::max(worst, distance);
    }
    CHECK(worst <= test.bound);
  }
}

TEST_CASE("Vulkan computes powers with C's special cases", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  const float bases[] = {0.0f,  -0.0f, 1,      -1,     2,        -2,        0.5f, 3.7f,
                         -3.7f, 1e20f, 1e-20f, 1e-40f, INFINITY, -INFINITY, NAN,  0.999f};
  const float exponents[] = {0,     -0.0f, 1,  -1,  2,    3,        -3,        0.5f,
                             -1.5f, 7.3f,  30, -30, 1000, INFINITY, -INFINITY, NAN};
  for (float exponent : exponents) {
    std::vector<float> x(std::begin(bases), std::end(bases));
    x.resize(64, 1.5f);
    uint32_t bits;
    std::memcpy(&bits, &exponent, 4);
    auto ports = vulkan->run(elementwise("f32", "f32", 64,
                                         fmt::format(R"(%y0 = arith.constant {:#x} : i32
        %z = arith.bitcast %y0 : i32 to f32
        %r = math.powf %v, %z : f32)",
                                                     bits)),
                             {bytesOf(x), bytesOf(std::vector<float>(64, -7))});
    auto y = elementsOf<float>(ports[1]);
    for (size_t i = 0; i < x.size(); ++i) {
      double expected = std::pow(x[i], exponent);
      INFO(x[i] << " to the power " << exponent << " gives " << y[i]);
      bool isTiny = std::abs(expected) < 1.2e-38; // may be flushed
      CHECK((isTiny ? std::abs(y[i]) <= 1.2e-38f : ulps(y[i], expected) <= 1));
      CHECK((std::isnan(expected) || std::signbit(y[i]) == std::signbit(expected)));
    }
  }
}

TEST_CASE("Vulkan emulates bf16 and rounds f16 to nearest", "[vulkan]") {
  auto vulkan = VulkanKernel::open();
  if (!vulkan) {
    return;
  }
  // All 2^16 numbers of each type, as their bits.
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<uint16_t>(i);
  }
  std::vector<uint16_t> poison(bits.size(), 0x1234);
  SECTION("bf16") {
    auto ports = vulkan->run(elementwise("bf16", "bf16", 65536, R"(%c = arith.constant 1.3 : bf16
        %r = arith.mulf %v, %c : bf16)"),
                             {bytesOf(bits), bytesOf(poison)});
    auto y = elementsOf<uint16_t>(ports[1]);
    float factor = brain(floatToBits(DType::BF16, 1.3));
    int wrong = 0;
    for (size_t i = 0; i < bits.size(); ++i) {
      float expected = brain(bits[i]) * factor;
      bool isEqual = std::isnan(expected) ? std::isnan(brain(y[i]))
                                          : y[i] == floatToBits(DType::BF16, expected);
      // Denormal results may be flushed.
      wrong += !isEqual && std::abs(expected) >= 1.2e-38f;
    }
    CHECK(wrong == 0);
  }
  SECTION("f16") {
    auto ports = vulkan->run(elementwise("f16", "f16", 65536, R"(%w = arith.extf %v : f16 to f32
        %c = arith.constant 1.3 : f32
        %m = arith.mulf %w, %c : f32
        %r = arith.truncf %m : f32 to f16)"),
                             {bytesOf(bits), bytesOf(poison)});
    auto y = elementsOf<uint16_t>(ports[1]);
    int wrong = 0;
    for (size_t i = 0; i < bits.size(); ++i) {
      float expected = half(bits[i]) * 1.3f;
      bool isEqual =
          std::isnan(expected) ? std::isnan(half(y[i])) : y[i] == floatToBits(DType::F16, expected);
      if (!isEqual && wrong++ < 5) {
        UNSCOPED_INFO(half(bits[i]) << " gives " << half(y[i]) << ", not "
                                    << half(floatToBits(DType::F16, expected)));
      }
    }
    CHECK(wrong == 0);
  }
}
