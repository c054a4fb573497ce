// Contents of a kernel's ports: random inputs that fit how they are used, poison in outputs, and
// the bytes in memory where a port has a layout.
#pragma once
#include "compiler/interp/kernel/KernelInterpreter.h"
#include "dialects/zyxk/IR/ZyxkOps.h"

namespace zyxc::tool {

/// How a port's elements are chosen.
struct PortUse {
  /// Elements are coordinates: integers in [low, high].
  bool isIndex = false;
  int64_t low = 0;
  int64_t high = 0;
  bool distinct = false; ///< no element twice: a store without `combine` goes to them
  bool isStored = false;
  bool isCombined = false; ///< stores join the old value
};

/// What each port of a kernel with bound dims is used for. Elements that reach a coordinate
/// through casts get the largest range that keeps every access inside; those of a clamped load go
/// beyond it.
std::vector<PortUse> portUses(zyxk::KernelOp kernel);

/// A tensor per port. in and inout ports are random, from the seed: floats uniform in [-1, 1), i8
/// in its whole range, other integers in [-100, 100], bools even. Out and scratch ports hold
/// poison: all bits set (NaN) in floats, 0xA5 bytes in integers. An Input error where coordinates
/// must be distinct and there are too few. Of the elements of each float input one in `nonFinite`
/// is an infinity or a NaN, the places by chance; 0: none.
Expected<std::vector<Tensor>> makePorts(const std::string &kernelName,
                                        const std::vector<KernelPort> &ports,
                                        const std::vector<PortUse> &uses, uint64_t seed,
                                        int nonFinite = 0);

/// The elements of a port as they lie in memory under its layout; what lies between is poison.
std::vector<std::byte> toMemory(zyxk::PortType type, const Tensor &tensor);
/// True if what lies between the elements of a port with a layout is the same.
bool sameGaps(zyxk::PortType type, const std::vector<std::byte> &a,
              const std::vector<std::byte> &b);
/// Elements of a port at these dims; 0 if it has no shape there.
int64_t portElements(zyxk::PortType type, std::span<const int64_t> dims);
/// The elements of a port's memory, row-major.
Tensor fromMemory(zyxk::PortType type, const std::vector<std::byte> &bytes,
                  const TensorType &tensorType);

} // namespace zyxc::tool
