// OpenBLAS, loaded at run time: the peer of contractions. The build needs no OpenBLAS.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace zyxc::bench {

/// The functions of OpenBLAS that the benchmark calls.
class OpenBlas {
public:
  /// Loads libopenblas.so.0, with the kernels that it chooses for this processor; nothing if it is
  /// not installed.
  static std::optional<OpenBlas> load();

  void setThreads(int threads) const { setNumThreads(threads); }
  /// c[m, n] = a[m, k] * b[k, n], all row-major; b is stored as [n, k] if it is transposed.
  void multiply(int m, int n, int k, const float *a, const float *b, float *c,
                bool transposed = false) const;
  /// Version and chosen kernels.
  std::string describe() const;

private:
  using Sgemm = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha,
                         const float *a, int lda, const float *b, int ldb, float beta, float *c,
                         int ldc);
  Sgemm sgemm = nullptr;
  void (*setNumThreads)(int) = nullptr;
  char *(*config)() = nullptr;
  char *(*coreName)() = nullptr;
};

} // namespace zyxc::bench
