#include "runtime/support/File.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zyxc {

static Status fileError(std::string_view what, const std::string &path) {
  return makeError(ErrorCode::Input, "cannot {} '{}': {}", what, path, std::strerror(errno));
}

Expected<InputFile> InputFile::open(const std::string &path) {
  // Without O_NONBLOCK a named pipe would wait for its writer here.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return fileError("open", path);
  }
  struct stat status;
  if (::fstat(fd, &status) != 0) {
    Status error = fileError("read", path);
    ::close(fd);
    return error;
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(fd);
    return makeError(ErrorCode::Input, "cannot read '{}': not a regular file", path);
  }
  return InputFile(path, fd, static_cast<size_t>(status.st_size));
}

InputFile::~InputFile() {
  if (descriptor >= 0) {
    ::close(descriptor);
  }
}

Status InputFile::readAt(size_t offset, std::span<std::byte> out) const {
  for (size_t done = 0; done < out.size();) {
    ssize_t count = ::pread(descriptor, out.data() + done, out.size() - done,
                            static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return fileError("read", fileName);
    }
    if (count == 0) {
      return makeError(ErrorCode::Input, "'{}' ends after {} bytes: {} more are needed", fileName,
                       offset + done, out.size() - done);
    }
    done += static_cast<size_t>(count);
  }
  return Status::ok();
}

Expected<std::string> InputFile::readAll() const {
  std::string content(byteCount, '\0');
  ZYXC_RETURN_IF_ERROR(readAt(0, std::as_writable_bytes(std::span(content))));
  return content;
}

Expected<MappedBytes> InputFile::map() const {
  if (byteCount == 0) {
    return MappedBytes{};
  }
  void *memory = ::mmap(nullptr, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    return fileError("map", fileName);
  }
  size_t size = byteCount;
  std::shared_ptr<const void> owner(
      memory, [size](const void *p) { ::munmap(const_cast<void *>(p), size); });
  return MappedBytes{static_cast<const std::byte *>(memory), size, std::move(owner)};
}

static bool writeAll(int fd, std::span<const std::string_view> parts) {
  for (std::string_view part : parts) {
    while (!part.empty()) {
      ssize_t count = ::write(fd, part.data(), part.size());
      if (count < 0 && errno != EINTR) {
        return false;
      }
      part.remove_prefix(count > 0 ? static_cast<size_t>(count) : 0);
    }
  }
  return true;
}

/// Closes a file that was written; keeps the errno of the first failure.
static bool closeWritten(int fd, bool written) {
  int writeErrno = errno;
  bool closed = ::close(fd) == 0;
  if (!written) {
    errno = writeErrno;
  }
  return written && closed;
}

/// Writes to a device or a pipe, which must not be replaced by a file.
static Status writeSpecial(const std::string &path, std::span<const std::string_view> parts) {
  // Without O_NONBLOCK a named pipe would wait for its reader here.
  int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return fileError("write", path);
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return closeWritten(fd, writeAll(fd, parts)) ? Status::ok() : fileError("write", path);
}

/// A file beside `path` that gets its name when it is complete: where the file system can do so it
/// has no name before, and nothing is left of it when the process ends early.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &path) : name(fmt::format("{}.{}.tmp", path, getpid())) {
    size_t slash = path.rfind('/');
    std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
    fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    named = fd < 0;
    if (named) {
      fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
  }

  /// Writes the parts and moves the file to `path`. On failure errno says why and no file is left.
  bool moveTo(const std::string &path, std::span<const std::string_view> parts) {
    if (fd < 0) {
      return false;
    }
    bool good = writeAll(fd, parts);
    if (good && !named) {
      ::unlink(name.c_str()); // of an earlier process with this number
      std::string self = fmt::format("/proc/self/fd/{}", fd);
      good = ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
      named = good;
    }
    good = closeWritten(fd, good) && ::rename(name.c_str(), path.c_str()) == 0;
    if (!good && named) {
      int failure = errno;
      ::unlink(name.c_str());
      errno = failure;
    }
    return good;
  }

private:
  std::string name;
  int fd;
  bool named;
};

Status writeFile(const std::string &path, std::span<const std::string_view> parts) {
  std::string target = path;
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0) {
    if (::stat(path.c_str(), &status) != 0) {
      return fileError("write", path); // a link that leads nowhere
    }
    if (!S_ISREG(status.st_mode)) {
      return writeSpecial(path, parts);
    }
    // A link stays a link: what it names is replaced.
    char *real = ::realpath(path.c_str(), nullptr);
    if (!real || ::access(real, W_OK) != 0) {
      Status error = fileError("write", path);
      ::free(real);
      return error;
    }
    target = real;
    ::free(real);
  }
  return TemporaryFile(target).moveTo(target, parts) ? Status::ok() : fileError("write", path);
}

} // namespace zyxc
