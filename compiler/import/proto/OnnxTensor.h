// ONNX tensors as host tensors: element types, typed and raw data, and data in external files.
#pragma once
#include "runtime/core/Tensor.h"
#include "runtime/support/File.h"
#include <fmt/ranges.h>
#include <map>
#include <onnx/onnx.pb.h>
#include <optional>

namespace zyxc::importer {

/// The dtype of a TensorProto.DataType number; nothing for strings and complex numbers.
std::optional<DType> dtypeOfOnnx(int dataType);
/// The number of a dtype.
int onnxOfDType(DType dtype);
/// Name of any TensorProto.DataType number, for messages: "f32", "string", "type 99".
std::string onnxTypeName(int dataType);

/// Bytes of a tensor in a model: elements of less than a byte are packed, the first one in the low
/// bits.
size_t packedBytes(const TensorType &type);
std::string packedContent(const Tensor &tensor);

/// Converts TensorProtos of one model. Raw data is not copied where it is aligned: the tensors
/// share the protobuf's bytes and the mapped external files.
class TensorReader {
public:
  /// `folder` holds the external files; `owner` keeps the protos alive.
  TensorReader(std::string folder, std::shared_ptr<const void> owner)
      : folder(std::move(folder)), owner(std::move(owner)) {}

  /// An Input error if sizes, values or external files are wrong; Unsupported for the dtype.
  Expected<Tensor> read(const onnx::TensorProto &proto);

private:
  Expected<Tensor> readTyped(const onnx::TensorProto &proto, TensorType type);
  Expected<Tensor> readExternal(const onnx::TensorProto &proto, TensorType type);
  Expected<MappedBytes> mapExternal(const std::string &location);

  std::string folder;
  std::shared_ptr<const void> owner;
  std::map<std::string, MappedBytes> mapped;
};

} // namespace zyxc::importer
