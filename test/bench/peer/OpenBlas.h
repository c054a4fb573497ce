// OpenBLAS, loaded at run time: the peer of contractions. The build needs no OpenBLAS.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zyxc::bench {

/// False for the names that OpenBLAS gives to kernels without AVX2.
bool hasAvx2Kernels(std::string_view core);

/// The functions of OpenBLAS that the benchmark calls.
class OpenBlas {
public:
  /// Loads libopenblas.so.0, with the kernels that it chooses for this processor or that
  /// OPENBLAS_CORETYPE names; nothing if it is not installed.
  static std::optional<OpenBlas> load();

  void setThreads(int threads) const { setNumThreads(threads); }
  /// c[m, n] = a[m, k] * b[k, n], all row-major; b is stored as [n, k] if it is transposed.
  void multiply(int m, int n, int k, const float *a, const float *b, float *c,
                bool transposed = false) const;
  /// Version and chosen kernels.
  std::string describe() const;
  /// Why a ratio to it would say nothing: it chose kernels that do not use this processor. Empty if
  /// it did not.
  std::string whyNoPeer() const;

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
