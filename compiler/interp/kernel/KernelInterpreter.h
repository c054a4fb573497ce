// The reference interpreter of zyxk kernels: what every lowering is compared with.
//
// Reference precision: floats of any type are evaluated in double. A value is rounded to its type
// where it is stored and at casts (truncf, sitofp, bitcast), nowhere else. Integers are exact and
// wrap at their width. Reductions over no points give the identity of their monoid.
//
// Restricted domains: a constraint (`where j <= i`, a bound over outer axes) applies to every
// reduction and store that runs over all of its axes.
//
// Memory: ports are dense and row-major here, whatever their layout. Loads see what ports held
// before the kernel, also of `inout` ports that it stores to. A store without `combine` that
// writes an element twice, and a value from outside of a port that reaches a store, are errors.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "runtime/core/Tensor.h"
#include "runtime/support/Status.h"
#include <memory>
#include <span>
#include <vector>

namespace zyxc {

/// What a kernel takes as one of its ports, with all dims bound.
struct KernelPort {
  TensorType type; ///< signless: u8 and the 8-bit floats are i8, i1 is bool
  zyxk::PortMode mode = zyxk::PortMode::In;
};

class KernelInterpreter {
public:
  /// A kernel with a value per dim, in order. Errors: Input (the kernel does not assume such dims,
  /// a shape is negative), Unsupported (a type or op that the interpreter does not know).
  static Expected<KernelInterpreter> create(zyxk::KernelOp kernel, std::span<const int64_t> dims);
  ~KernelInterpreter();
  KernelInterpreter(KernelInterpreter &&) noexcept;
  KernelInterpreter &operator=(KernelInterpreter &&) noexcept;

  const std::vector<KernelPort> &ports() const { return kernelPorts; }

  /// Node evaluations that run() makes, one per op and point: about 1e9 a second for sums of
  /// products, 1e8 for transcendental functions.
  double work() const;

  /// Runs the kernel. One tensor per port, of its type; those of writable ports are written in
  /// place and must own their memory. Errors: Input (an access outside of a port reaches a store,
  /// an element is written twice), OutOfMemory.
  Status run(std::span<const Tensor> tensors) const;

private:
  struct Impl;
  explicit KernelInterpreter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
  std::vector<KernelPort> kernelPorts;
};

} // namespace zyxc
