// What a SPIR-V module needs of a device, read from the capabilities that it declares.
#pragma once
#include "runtime/support/Status.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace zyxc {

struct SpirvNeeds {
  std::vector<std::string> features; ///< as rt::missingNeeds knows them; sorted
  bool subgroups = false;            ///< it counts on the size of subgroups
};

/// Internal if the module declares what code of zyxc does not use.
Expected<SpirvNeeds> needsOfSpirv(std::span<const uint32_t> words);

} // namespace zyxc
