#include "runtime/support/File.h"
#include <cerrno>
#include <cstdio>
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

static bool writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    content.remove_prefix(count > 0 ? static_cast<size_t>(count) : 0);
  }
  return true;
}

Status writeFile(const std::string &path, std::span<const std::string_view> parts) {
  std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return fileError("write", path);
  }
  bool written = true;
  for (std::string_view part : parts) {
    written = written && writeAll(fd, part);
  }
  int writeErrno = errno;
  if (::close(fd) != 0 && written) {
    written = false;
    writeErrno = errno;
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) {
    return Status::ok();
  }
  errno = written ? errno : writeErrno;
  Status error = fileError("write", path);
  ::unlink(temporary.c_str());
  return error;
}

} // namespace zyxc
