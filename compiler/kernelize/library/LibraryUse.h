// How functions of libraries take part in a compilation.
#pragma once
#include <cstdint>

namespace zyxc::kernelize {

/// Whether functions of libraries compete with kernels of our own.
enum class LibraryUse : uint8_t {
  Off,
  Cheaper, ///< by their cost
  Always,  ///< they are taken where they can be: for tests and comparisons
};

} // namespace zyxc::kernelize
