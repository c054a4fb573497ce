// The kernels that zyxc-bench-kernels times, each with the peer that it is compared with.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zyxc::bench {

/// What a kernel runs beside.
enum class Peer : uint8_t {
  Copy,    ///< memcpy of half as many bytes as the kernel moves: it reads and writes each
  Product, ///< sgemm of OpenBLAS of the same sizes
  Heads,   ///< two sgemm of OpenBLAS for each head: q * k^T and p * v, without the softmax between
};

/// A port of a kernel: f32 elements.
struct BenchPort {
  int64_t elements = 0;
  bool output = false;
};

struct BenchCase {
  std::string name;
  std::string text; ///< of the kernel
  std::vector<BenchPort> ports;
  Peer peer = Peer::Copy;
  int64_t m = 0, n = 0, k = 0; ///< of a product; of a head: queries, keys, columns
  int64_t heads = 0;
  double gate = 0;      ///< peer's time over the kernel's: at least this
  double compileMs = 0; ///< the kernel compiles within this

  /// Bytes of all ports: what the kernel has to move.
  double bytes() const;
  /// Multiplications and additions of the peer's products.
  double flops() const;
};

std::vector<BenchCase> benchCases();

} // namespace zyxc::bench
