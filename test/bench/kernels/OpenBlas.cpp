#include "test/bench/kernels/OpenBlas.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

namespace zyxc::bench {

std::optional<OpenBlas> OpenBlas::load() {
  unsetenv("OPENBLAS_CORETYPE");
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return std::nullopt;
  }
  OpenBlas blas;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  bool all =
      find(blas.sgemm, "cblas_sgemm") && find(blas.setNumThreads, "openblas_set_num_threads") &&
      find(blas.config, "openblas_get_config") && find(blas.coreName, "openblas_get_corename");
  return all ? std::optional<OpenBlas>(blas) : std::nullopt;
}

void OpenBlas::multiply(int m, int n, int k, const float *a, const float *b, float *c,
                        bool transposed) const {
  constexpr int rowMajor = 101;
  constexpr int noTranspose = 111;
  constexpr int transpose = 112;
  sgemm(rowMajor, noTranspose, transposed ? transpose : noTranspose, m, n, k, 1.0F, a, k, b,
        transposed ? k : n, 0.0F, c, n);
}

std::string OpenBlas::describe() const {
  return fmt::format("{}; kernels of {}", config(), coreName());
}

} // namespace zyxc::bench
