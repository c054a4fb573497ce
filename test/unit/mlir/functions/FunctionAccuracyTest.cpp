// The promise of docs/semantics.md: every function of f32 within 2 ulp on the host, over the whole
// range. Each is compiled as a kernel of its own for every width of vectors, and compared with
// double precision at a million numbers of all exponents and both signs.
#include "test/unit/mlir/KernelRunner.h"
#include "test/unit/mlir/functions/Ulps.h"
#include <bit>
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace zyxc;
using namespace zyxc::test;

namespace {

struct Function {
  const char *name;
  double (*reference)(double);
  double bound = 2; ///< ulp
  /// Ops that give `%r` from `%a`; null: a call of the function.
  const char *body = nullptr;
};

} // namespace

static const Function functions[] = {
    {"exp", std::exp},
    {"exp2", std::exp2},
    {"expm1", std::expm1},
    {"log", std::log},
    {"log2", std::log2},
    {"log1p", std::log1p},
    {"sin", std::sin},
    {"cos", std::cos},
    {"tan", std::tan},
    {"asin", std::asin},
    {"acos", std::acos},
    {"atan", std::atan},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"asinh", std::asinh},
    {"acosh", std::acosh},
    {"atanh", std::atanh},
    {"erf", std::erf},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"sqrt", std::sqrt, 0},
    {"recip", [](double x) { return 1 / x; }, 0},
    {"1 + exp2", [](double x) { return 1 + std::exp2(x); }, 2, R"(%e = math.exp2 %a : f32
    %one = arith.constant 1.0 : f32
    %r = arith.addf %e, %one : f32)"},
};

/// Every 4099th float by its bits, and all numbers beside those at which functions change: their
/// poles, where they saturate, where methods split their range.
static std::vector<float> sample() {
  std::vector<float> values;
  constexpr uint64_t step = 4099;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += step) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  for (float turn :
       {0.0F, 0x1p-126F, 0.25F, 0.5F, 0.70710678F, 1.0F, 1.41421356F, 4.0F, 9.125F, 18.0F,
        87.33654F, 88.72284F, 103.9721F, 126.0F, 128.0F, 149.0F, 151.0F, INFINITY}) {
    auto bits = std::bit_cast<uint32_t>(turn);
    for (uint32_t near = std::max<uint32_t>(bits, 100) - 100; near < bits + 100; ++near) {
      values.push_back(std::bit_cast<float>(near));
      values.push_back(-std::bit_cast<float>(near));
    }
  }
  return values;
}

static bool isNegativeZero(double x) {
  return x == 0 && std::signbit(x);
}

/// The largest distance of a function's results, in ulp.
static double worstOf(const Function &function, const HostTarget &target,
                      const std::vector<float> &x, const std::vector<double> &expected) {
  std::string body =
      function.body ? function.body : fmt::format("%r = scalar @{}(%a) : f32", function.name);
  KernelRunner kernel(fmt::format(R"(zyxk.kernel @f ports(%x: in f32[{0}], %y: out f32[{0}])
      axes(n < {0}) {{
    %a = load %x[n] : f32
    {1}
    store %r, %y[n] : f32
  }})",
                                  x.size(), body),
                      target);
  kernel.add(x);
  kernel.addOutput<float>(x.size());
  kernel.run();
  std::vector<float> y = kernel.elements<float>(1, x.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    bool lostSign = isNegativeZero(x[i]) && isNegativeZero(y[i]) != isNegativeZero(expected[i]);
    double distance = lostSign ? INFINITY : ulps(y[i], expected[i]);
    if (distance > std::max(worst, function.bound)) {
      UNSCOPED_INFO(
          fmt::format("{}({:a}) gives {:a}, not {:a}", function.name, x[i], y[i], expected[i]));
    }
    worst = std::max(worst, distance);
  }
  return worst;
}

TEST_CASE("functions of f32 are within 2 ulp on the host", "[kernel]") {
  std::vector<float> x = sample();
  for (const Function &function : functions) {
    std::vector<double> expected;
    for (float value : x) {
      expected.push_back(function.reference(value));
    }
    for (const char *name : {"host-avx512", "host-avx2", "host-scalar"}) {
      Expected<HostTarget> target = HostTarget::named(name);
      if (!target) {
        continue; // not this processor
      }
      double worst = worstOf(function, *target, x, expected);
      INFO(fmt::format("{} on {}: {:.2f} ulp", function.name, name, worst));
      CHECK(worst <= function.bound);
    }
  }
}

/// One ulp beside 1 is within the bound above, but not what GELU multiplies with -1e6.
TEST_CASE("functions with a limit reach it on the host", "[kernel]") {
  struct Limit {
    const char *function;
    float from, value; ///< at `from` and beyond
  };
  constexpr Limit limits[] = {{"erf", 4, 1},         {"erf", -4, -1},    {"tanh", 9.125F, 1},
                              {"tanh", -9.125F, -1}, {"expm1", -18, -1}, {"exp", -104, 0}};
  for (const Limit &limit : limits) {
    for (const char *name : {"host-avx512", "host-avx2", "host-scalar"}) {
      Expected<HostTarget> target = HostTarget::named(name);
      if (!target) {
        continue; // not this processor
      }
      for (bool exact : {false, true}) {
        target->exact = exact;
        std::vector<float> x(16, std::copysign(INFINITY, limit.from));
        for (size_t i = 0; i < 15; ++i) {
          x[i] = std::ldexp(limit.from, static_cast<int>(i * i / 2));
        }
        KernelRunner kernel(fmt::format(R"(zyxk.kernel @f ports(%x: in f32[16], %y: out f32[16])
            axes(n < 16) {{
          %a = load %x[n] : f32
          %r = scalar @{}(%a) : f32
          store %r, %y[n] : f32
        }})",
                                        limit.function),
                            *target);
        kernel.add(x);
        kernel.addOutput<float>(16);
        kernel.run();
        INFO(fmt::format("{} from {} on, {}", limit.function, limit.from, name));
        CHECK(kernel.elements<float>(1, 16) == std::vector<float>(16, limit.value));
      }
    }
  }
}

TEST_CASE("products and sums are fused on the host, but not at level exact", "[kernel]") {
  const std::string text = R"(zyxk.kernel @f ports(%x: in f32[32], %y: out f32[32])
      axes(n < 32) {
    %a = load %x[n] : f32
    %rounded = arith.constant -1.000244140625 : f32
    %square = arith.mulf %a, %a : f32
    %r = arith.addf %square, %rounded : f32
    store %r, %y[n] : f32
  })";
  for (bool exact : {false, true}) {
    HostTarget target = HostTarget::baseline();
    target.exact = exact;
    KernelRunner kernel(text, target);
    kernel.add(std::vector<float>(32, 1 + 0x1p-13F)); // its square is 1 + 2^-12 + 2^-26
    kernel.addOutput<float>(32);
    kernel.run();
    CHECK(kernel.elements<float>(1, 32) == std::vector<float>(32, exact ? 0 : 0x1p-26F));
  }
}
