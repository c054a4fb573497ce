// A place for the files that a test writes. Test code only.
#pragma once
#include <filesystem>
#include <fmt/core.h>
#include <string>
#include <unistd.h>

namespace zyxc {

/// A new folder that is removed, with all that is in it, at the end of this object's life.
class TemporaryFolder {
public:
  TemporaryFolder() {
    static int counter = 0;
    path = std::filesystem::temp_directory_path() /
           fmt::format("zyxc-test-{}-{}", ::getpid(), counter++);
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  /// Path of a file in the folder.
  std::string file(const std::string &name) const { return (path / name).string(); }

  std::filesystem::path path;
};

} // namespace zyxc
