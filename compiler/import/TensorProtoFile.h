// Files that hold one ONNX TensorProto, as ONNX test data does: an input or an expected output.
#pragma once
#include "runtime/core/Tensor.h"

namespace zyxc {

/// Reads a .pb file with one TensorProto.
Expected<Tensor> readTensorProto(const std::string &path);

/// Writes a tensor (raw data, little endian) under a name.
Status writeTensorProto(const std::string &path, const std::string &name, const Tensor &tensor);

} // namespace zyxc
