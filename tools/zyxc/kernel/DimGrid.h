// The sizes at which a kernel is checked: each dim in turn is zero, one, small, a ragged prime, a
// multiple of the vector width and one less or more; then random combinations of these.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "runtime/support/Status.h"
#include <map>
#include <vector>

namespace zyxc::tool {

/// One value per dim.
using DimValues = std::vector<int64_t>;

/// True if a kernel's assumptions hold.
bool satisfiesAssume(zyxk::KernelOp kernel, const DimValues &dims);

/// At most `count` different sizes that satisfy what the kernel assumes, the same for the same
/// seed. `given` fixes dims by name. An Input error if a given name is no dim of the kernel, or if
/// no size was found.
Expected<std::vector<DimValues>> dimGrid(zyxk::KernelOp kernel,
                                         const std::map<std::string, int64_t> &given, size_t count,
                                         uint64_t seed);

/// The values given for the dims of a kernel, in order; a Usage error if one is missing, is no dim
/// of the kernel, or is not what it assumes.
Expected<DimValues> givenDims(zyxk::KernelOp kernel, const std::map<std::string, int64_t> &given);

} // namespace zyxc::tool
