// Object files of kernels joined into one block of position-independent code that runs wherever it
// is mapped: what a saved plan holds, so that its runtime needs no linker.
#pragma once
#include "runtime/support/Status.h"
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zyxc {

/// An address that the runtime writes into the image before it runs.
struct ImageSlot {
  std::string symbol; ///< of runtime/routines/Symbols.h
  uint64_t offset = 0;
};

/// Instructions, then read-only data, then slots; each part starts at a multiple of
/// FlatImage::pageBytes.
struct FlatImage {
  static constexpr uint64_t pageBytes = 4096;

  std::string bytes;
  uint64_t textBytes = 0;
  uint64_t slotsOffset = 0; ///< the size of `bytes` where there is no slot
  std::vector<ImageSlot> slots;
  /// Offsets of the functions of each object, by symbol.
  std::vector<std::map<std::string, uint64_t, std::less<>>> functions;
};

/// Joins relocatable ELF objects for x86-64. Relocations within an object are applied, calls of
/// functions of the runtime go through slots. The same objects give the same image. Internal
/// errors, which name the symbol: an object needs another one, an absolute address, or writable
/// data.
Expected<FlatImage> makeFlatImage(std::span<const std::string_view> objects);

} // namespace zyxc
