#include "test/bench/peer/OpenBlas.h"
#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fmt/format.h>

namespace zyxc::bench {

bool hasAvx2Kernels(std::string_view core) {
  // What OpenBLAS calls the x86-64 processors before AVX2. Those that it does not know get one of
  // these, too.
  static constexpr std::array<std::string_view, 15> older = {
      "Prescott", "Core2",       "Penryn",    "Dunnington", "Atom",
      "Nano",     "Nehalem",     "Opteron",   "Barcelona",  "Opteron_SSE3",
      "Bobcat",   "Sandybridge", "Bulldozer", "Piledriver", "Steamroller",
  };
  return std::find(older.begin(), older.end(), core) == older.end();
}

std::optional<OpenBlas> OpenBlas::load() {
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

std::string OpenBlas::whyNoPeer() const {
  if (hasAvx2Kernels(coreName()) || !__builtin_cpu_supports("avx2")) {
    return "";
  }
  return fmt::format(
      "OpenBLAS chose its kernels of {}, which have no AVX2: no ratio. This processor "
      "has AVX2; set OPENBLAS_CORETYPE, for instance to Haswell or SkylakeX",
      coreName());
}

} // namespace zyxc::bench
