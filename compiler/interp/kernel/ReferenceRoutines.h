// What routines of zyxk.opaque compute, written as plainly as possible: independent of those that
// compiled code calls (runtime/routines).
#pragma once
#include "runtime/core/Tensor.h"
#include <span>

namespace zyxc::kernelinterp {

/// Computes the outputs of a routine whose ports were checked (rt::Routine::check).
using ReferenceFn = void (*)(std::span<const Tensor> ports, std::span<const int64_t> params);

/// The plain form of a routine; null if there is none of this name.
ReferenceFn findReference(std::string_view name);

} // namespace zyxc::kernelinterp
