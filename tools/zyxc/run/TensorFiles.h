// Tensors from files and to files: .npy, and what else a program links a reader of.
#pragma once
#include "runtime/core/Tensor.h"
#include <optional>
#include <span>
#include <string>

namespace zyxc::tool {

/// A kind of file beside .npy.
struct TensorFormat {
  std::string_view ending; ///< of file names: ".pb"
  Expected<Tensor> (*read)(const std::string &path);
  Status (*write)(const std::string &path, const std::string &name, const Tensor &tensor);
};

/// The formats that a program reads and writes. Does not own the table.
class TensorFiles {
public:
  TensorFiles() = default;
  explicit TensorFiles(std::span<const TensorFormat> more) : more(more) {}

  /// Reads a tensor from "@file". `wanted` tells how to read bits that .npy has no type for (bf16,
  /// f8). Usage if there is no @ or the program has no reader of .pb files.
  Expected<Tensor> read(const std::string &spec, std::optional<DType> wanted = {}) const;

  /// Writes a named tensor, all or nothing.
  Status write(const std::string &path, const std::string &name, const Tensor &tensor) const;

private:
  /// The format of a file by its name; null: .npy.
  Expected<const TensorFormat *> formatOf(const std::string &path) const;

  std::span<const TensorFormat> more;
};

} // namespace zyxc::tool
