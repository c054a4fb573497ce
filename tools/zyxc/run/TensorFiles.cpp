#include "tools/zyxc/run/TensorFiles.h"
#include "runtime/core/Npy.h"

namespace zyxc::tool {

Expected<const TensorFormat *> TensorFiles::formatOf(const std::string &path) const {
  for (const TensorFormat &format : more) {
    if (path.ends_with(format.ending)) {
      return &format;
    }
  }
  if (path.ends_with(".pb")) {
    return makeError(ErrorCode::Usage, "'{}': this program takes .npy files only: use zyxc run",
                     path);
  }
  return nullptr;
}

Expected<Tensor> TensorFiles::read(const std::string &spec, std::optional<DType> wanted) const {
  if (!spec.starts_with("@")) {
    return makeError(ErrorCode::Usage, "'{}': give a file as @FILE.npy or @FILE.pb", spec);
  }
  std::string path = spec.substr(1);
  ZYXC_ASSIGN(const TensorFormat *format, formatOf(path));
  return format ? format->read(path) : readNpy(path, wanted);
}

Status TensorFiles::write(const std::string &path, const std::string &name,
                          const Tensor &tensor) const {
  ZYXC_ASSIGN(const TensorFormat *format, formatOf(path));
  return format ? format->write(path, name, tensor) : writeNpy(path, tensor);
}

} // namespace zyxc::tool
