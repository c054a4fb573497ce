// Contraction kernels for tests and benchmarks: a description that gives the zyxk text, a naive
// result in plain loops, and a run of the compiled kernel.
#pragma once
#include "compiler/codegen/cpu/HostCompiler.h"
#include "runtime/core/DType.h"
#include "runtime/devices/cpu/ThreadPool.h"
#include <cstdint>
#include <string>
#include <vector>

namespace zyxc::test {

/// An affine coordinate: base + sum of factor * axis.
struct Coordinate {
  int64_t base = 0;
  std::vector<std::pair<int, int64_t>> terms;
};

/// The coordinate that is one axis.
inline Coordinate axis(int number) {
  return {0, {{number, 1}}};
}

struct Access {
  std::vector<int64_t> shape;
  std::vector<Coordinate> at;
  int64_t elements() const;
};

/// A port's elements: always doubles or 64-bit integers here, converted when a kernel runs.
struct Buffer {
  DType dtype = DType::F32;
  std::vector<double> values;

  static Buffer random(DType dtype, int64_t elements, uint64_t seed);
  std::vector<std::byte> bytes() const;
  static Buffer fromBytes(DType dtype, const std::vector<std::byte> &bytes);
};

/// out[..] = epilogue(sum of prologue(a) * prologue(b)). Reads outside of a or b give zero.
struct ContractSpec {
  std::string name = "contract";
  std::vector<int64_t> extents;
  std::vector<int> reduced;
  Access a, b, out;
  DType operandType = DType::F32;
  DType sumType = DType::F32;
  bool squareA = false, reluB = false; ///< prologues
  int biasAxis = -1;                   ///< adds bias[axis]
  bool residual = false, relu = false; ///< adds a tensor like the output; max with 0
  bool twoStores = false;              ///< also stores the sum itself
  std::string schedule = "#zyxk.contract<>";

  std::string text() const;
  /// In port order: a, b, bias and residual if there, the output, the second output if there.
  std::vector<Buffer> makeInputs(uint64_t seed) const;
  int numOutputs() const { return twoStores ? 2 : 1; }
  /// Outputs by plain loops.
  std::vector<Buffer> reference(const std::vector<Buffer> &inputs) const;
  double flops() const;
};

/// A two-dimensional convolution in NCHW with `groups` groups, as a contraction.
struct ConvSpec {
  int64_t images = 1, channels = 1, height = 1, width = 1, filters = 1, kernel = 1;
  int64_t stride = 1, pad = 0, dilation = 1, groups = 1;
  ContractSpec contract() const;
};

/// out[m, n] = sum a[m, k] * b[k, n].
ContractSpec matmul(int64_t m, int64_t n, int64_t k);

/// Memory for one kernel: prepared operands, scratch per thread.
class KernelRun {
public:
  /// `ports`: addresses in port order. Packs the prepared ones.
  KernelRun(const CompiledKernel &kernel, const std::vector<void *> &ports, rt::ThreadPool &pool);
  void run(rt::ThreadPool &pool) const;

private:
  const CompiledKernel &kernel;
  std::vector<uint64_t> slots;
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::byte> shared;
};

/// Compiles and runs a spec; the outputs as bytes.
std::vector<std::vector<std::byte>> runSpec(HostCompiler &compiler, const ContractSpec &spec,
                                            const std::vector<Buffer> &inputs, int threads);

} // namespace zyxc::test
