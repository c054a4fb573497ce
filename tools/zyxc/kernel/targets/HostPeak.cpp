#include "tools/zyxc/kernel/targets/HostPeak.h"
#include <algorithm>
#include <chrono>

namespace zyxc::tool {

/// Chains that do not wait for each other: more than latency times units of any processor.
static constexpr int numChains = 16;

// One body for each width; contraction to fma is on within an expression.
#define PEAK_LOOP(name, bytes, features)                                                           \
  __attribute__((target(features), noinline)) static float name(int64_t turns) {                   \
    typedef float Lanes __attribute__((vector_size(bytes)));                                       \
    Lanes chains[numChains];                                                                       \
    Lanes scale = {};                                                                              \
    Lanes step = {};                                                                               \
    scale += 0.999F;                                                                               \
    step += 0.001F;                                                                                \
    for (int i = 0; i < numChains; ++i) {                                                          \
      chains[i] = step * float(i);                                                                 \
    }                                                                                              \
    for (int64_t turn = 0; turn < turns; ++turn) {                                                 \
      _Pragma("clang loop unroll(full)") for (int i = 0; i < numChains; ++i) {                     \
        chains[i] = chains[i] * scale + step;                                                      \
      }                                                                                            \
      asm volatile("" ::: "memory");                                                               \
    }                                                                                              \
    float sum = 0;                                                                                 \
    for (int i = 0; i < numChains; ++i) {                                                          \
      sum += chains[i][0];                                                                         \
    }                                                                                              \
    return sum;                                                                                    \
  }

PEAK_LOOP(peakLoop512, 64, "avx512f,fma")
PEAK_LOOP(peakLoop256, 32, "avx2,fma")

double measurePeakFlops(rt::ThreadPool &pool) {
  bool wide = __builtin_cpu_supports("avx512f");
  auto *loop = wide ? peakLoop512 : peakLoop256;
  double lanes = wide ? 16 : 8;
  constexpr int64_t turns = 200'000;
  constexpr int tries = 5;
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    volatile float kept = 0;
    auto start = std::chrono::steady_clock::now();
    pool.run(pool.numThreads(), [&](int64_t, int64_t, int) { kept = loop(turns); });
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    double operations = 2.0 * numChains * lanes * turns * pool.numThreads();
    best = std::max(best, operations / spent.count());
  }
  return best;
}

} // namespace zyxc::tool
