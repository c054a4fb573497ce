#include "compiler/codegen/vulkan/SpirvNeeds.h"
#include <algorithm>

namespace zyxc {

namespace {

/// A capability of the SPIR-V specification.
struct Capability {
  uint32_t number;
  std::string_view need; ///< empty: every device that zyxc runs on has it
  bool subgroups = false;
};

} // namespace

static constexpr Capability capabilities[] = {
    {0, ""},             // Matrix
    {1, ""},             // Shader
    {9, "float16"},      // Float16
    {10, "float64"},     // Float64
    {11, ""},            // Int64
    {22, "int16"},       // Int16
    {39, "int8"},        // Int8
    {61, "", true},      // GroupNonUniform
    {62, "", true},      // GroupNonUniformVote
    {63, "", true},      // GroupNonUniformArithmetic
    {64, "", true},      // GroupNonUniformBallot
    {65, "", true},      // GroupNonUniformShuffle
    {4433, "storage16"}, // StorageBuffer16BitAccess
    {4434, "storage16"}, // UniformAndStorageBuffer16BitAccess
    {4448, "int8"},      // StorageBuffer8BitAccess
    {4449, "int8"},      // UniformAndStorageBuffer8BitAccess
    {4464, "denormals"}, // DenormPreserve
    {4466, "infnan"},    // SignedZeroInfNanPreserve
    {5347, ""},          // PhysicalStorageBufferAddresses
};

Expected<SpirvNeeds> needsOfSpirv(std::span<const uint32_t> words) {
  constexpr size_t headerWords = 5;
  constexpr uint32_t capabilityOp = 17, opBits = 0xffff;
  SpirvNeeds needs;
  // Capabilities are the first instructions of a module.
  for (size_t i = headerWords; i + 1 < words.size() && (words[i] & opBits) == capabilityOp;
       i += 2) {
    const auto *found = std::find_if(std::begin(capabilities), std::end(capabilities),
                                     [&](const Capability &c) { return c.number == words[i + 1]; });
    if (found == std::end(capabilities)) {
      return makeError(ErrorCode::Internal, "SPIR-V with capability {}", words[i + 1]);
    }
    needs.subgroups |= found->subgroups;
    if (!found->need.empty()) {
      needs.features.emplace_back(found->need);
    }
  }
  std::sort(needs.features.begin(), needs.features.end());
  needs.features.erase(std::unique(needs.features.begin(), needs.features.end()),
                       needs.features.end());
  return needs;
}

} // namespace zyxc
