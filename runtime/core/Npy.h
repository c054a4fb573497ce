// NumPy's .npy files: how tensors enter and leave the command line.
#pragma once
#include "runtime/core/Tensor.h"
#include <optional>

namespace zyxc {

/// Reads a .npy file (format 1 to 3, little endian; Fortran order is converted to row-major).
/// The format has no bf16 and f8: with `wanted` one of these, elements of the same width (uint16,
/// uint8 or void) are taken as its bits. Any other `wanted` is ignored: the file decides.
Expected<Tensor> readNpy(const std::string &path, std::optional<DType> wanted = std::nullopt);

/// Writes a .npy file (format 1, row-major). bf16 is written as its bits in uint16, f8 in uint8.
Status writeNpy(const std::string &path, const Tensor &tensor);

} // namespace zyxc
