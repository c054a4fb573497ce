// Tensors as text, as NumPy prints them.
#pragma once
#include "runtime/core/Tensor.h"

namespace zyxc::tool {

/// Values in brackets, at most 6 an axis (the middle left out) once there are over 1000 elements.
std::string formatTensor(const Tensor &tensor);

} // namespace zyxc::tool
