#include "compiler/import/TensorProtoFile.h"
#include "compiler/import/OnnxModel.h"
#include "compiler/import/proto/OnnxTensor.h"
#include <filesystem>
#include <google/protobuf/io/zero_copy_stream_impl.h>

namespace zyxc {

Expected<Tensor> readTensorProto(const std::string &path) {
  ZYXC_ASSIGN(InputFile file, InputFile::open(path));
  auto proto = std::make_shared<onnx::TensorProto>();
  google::protobuf::io::FileInputStream stream(file.fd());
  if (file.size() == 0 || !proto->ParseFromZeroCopyStream(&stream)) {
    return makeError(ErrorCode::Input, "{}: not a file with one ONNX TensorProto", path);
  }
  std::string folder = std::filesystem::path(path).parent_path().string();
  importer::TensorReader reader(folder.empty() ? "." : folder, proto);
  Expected<Tensor> tensor = reader.read(*proto);
  if (!tensor) {
    return importer::oneLine(tensor.error()).withContext(path);
  }
  return tensor;
}

Status writeTensorProto(const std::string &path, const std::string &name, const Tensor &tensor) {
  onnx::TensorProto proto;
  for (int64_t dim : tensor.shape()) {
    proto.add_dims(dim);
  }
  proto.set_data_type(importer::onnxOfDType(tensor.dtype()));
  proto.set_name(name);
  proto.set_raw_data(importer::packedContent(tensor));
  std::string content;
  if (!proto.SerializeToString(&content)) {
    return makeError(ErrorCode::Usage, "{}: {} is over the 2 GB limit of protobuf: write .npy",
                     path, toString(tensor.type()));
  }
  return writeFile(path, content);
}

} // namespace zyxc
