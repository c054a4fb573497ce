// Files as the readers and writers of zyxc need them: checked reads at offsets, read-only mappings
// and writes that leave either the whole new file or none of it.
#pragma once
#include "runtime/support/Status.h"
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace zyxc {

/// Read-only bytes of a mapped file; `owner` keeps the mapping alive.
struct MappedBytes {
  const std::byte *data = nullptr;
  size_t size = 0;
  std::shared_ptr<const void> owner;
};

/// A regular file opened for reading.
class InputFile {
public:
  /// Opens `path`; an Input error if it does not exist, cannot be read or is not a regular file.
  static Expected<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept
      : fileName(std::move(other.fileName)), descriptor(std::exchange(other.descriptor, -1)),
        byteCount(other.byteCount) {}
  InputFile &operator=(InputFile &&) = delete;
  ~InputFile();

  const std::string &path() const { return fileName; }
  /// Size in bytes when it was opened.
  size_t size() const { return byteCount; }
  /// Owned by this object.
  int fd() const { return descriptor; }

  /// Reads exactly out.size() bytes from `offset`.
  Status readAt(size_t offset, std::span<std::byte> out) const;
  /// The whole content.
  Expected<std::string> readAll() const;
  /// Maps the whole file; the mapping outlives this object.
  Expected<MappedBytes> map() const;

private:
  InputFile(std::string path, int fd, size_t size)
      : fileName(std::move(path)), descriptor(fd), byteCount(size) {}

  std::string fileName;
  int descriptor;
  size_t byteCount;
};

/// Writes the parts, one after the other, to a temporary file beside `path` and renames it, so that
/// `path` never holds a partial file. Devices and pipes are written to as they are.
Status writeFile(const std::string &path, std::span<const std::string_view> parts);
inline Status writeFile(const std::string &path, std::string_view content) {
  return writeFile(path, std::span(&content, 1));
}

} // namespace zyxc
