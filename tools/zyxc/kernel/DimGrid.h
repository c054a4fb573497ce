// The sizes at which a kernel is checked: around a ragged size and an aligned one each dim in turn
// is zero, one, small, a ragged prime, a multiple of vectors and one less or more; then random
// combinations of these.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "runtime/support/Status.h"
#include <map>
#include <span>
#include <vector>

namespace zyxc::tool {

/// One value per dim.
using DimValues = std::vector<int64_t>;

/// The dims of a kernel or a program, and what it assumes of them.
struct DimSpace {
  DimSpace(zyxk::KernelOp kernel);
  DimSpace(zyxk::ProgramOp program);

  std::string name; ///< "@softmax"
  std::vector<std::string> dims;
  std::optional<mlir::IntegerSet> assume;
  mlir::MLIRContext *context;
};

/// "M=64 N=3", or "" without dims.
std::string describeDims(const DimSpace &space, std::span<const int64_t> dims);

/// True if what is assumed of dims holds.
bool satisfiesAssume(const DimSpace &space, const DimValues &dims);

/// What is asked of a grid.
struct GridRequest {
  std::map<std::string, int64_t> given; ///< dims that are fixed, by name
  size_t count = 40;                    ///< sizes, at most
  uint64_t seed = 0;
  /// Work of a size; those over `budget / 8` are left out, unless all dims are given.
  llvm::function_ref<double(const DimValues &)> work;
  double budget = 0; ///< of all sizes together
};

struct DimGrid {
  std::vector<DimValues> sizes; ///< different ones
  int leftOut = 0;              ///< sizes that were too much work
};

/// Sizes that satisfy what the kernel assumes, the same for the same request. An Input error if a
/// given name is no dim of the kernel, or if no size was found.
Expected<DimGrid> dimGrid(const DimSpace &space, const GridRequest &request);

/// The values given for the dims of a kernel, in order; a Usage error if one is missing, is no dim
/// of the kernel, or is not what it assumes.
Expected<DimValues> givenDims(const DimSpace &space, const std::map<std::string, int64_t> &given);

/// The given values, and for the other dims the largest power of two up to 1024 (the same for all
/// of them) that meets what the kernel assumes and that `check` takes; else values near one of
/// these. A Usage error if a given name is no dim, or if all are given and are not what is assumed;
/// if nothing was found, what `check` said last, or an Input error.
Expected<DimValues> completedDims(const DimSpace &space,
                                  const std::map<std::string, int64_t> &given,
                                  llvm::function_ref<Status(const DimValues &)> check);

} // namespace zyxc::tool
