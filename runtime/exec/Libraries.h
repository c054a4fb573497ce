// The functions of custom kernels: shared libraries that the user names, and no others.
#pragma once
#include "runtime/plan/Plan.h"
#include <memory>
#include <span>

namespace zyxc::rt {

/// Open libraries; entries that it found are theirs and end with it.
class Libraries {
public:
  /// Opens libraries by their paths. Input errors say which one and why.
  static Expected<Libraries> open(std::span<const std::string> paths);

  /// The function of a name, of the first library that defines it itself; null if none does.
  KernelFn find(const std::string &symbol) const;

  /// Fills the entries of custom kernels that have none, in bodies too. Usage, with what to do, if
  /// no library has one.
  Status resolve(Plan &plan) const;

private:
  struct Library {
    std::string path;
    std::shared_ptr<void> handle;
  };
  std::vector<Library> libraries;
};

} // namespace zyxc::rt
