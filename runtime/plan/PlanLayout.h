// The bytes of a saved plan that are no FlatBuffer: the prefix with which every version of the
// format starts, the places of segments, and checksums. docs/plans.md describes the format.
#pragma once
#include "runtime/support/Status.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zyxc::rt {

/// A reader takes files up to its own major version, of any minor one: minor versions only add what
/// older readers may ignore. Files are of the first version that has what is in them: static plans
/// of version 1, symbolic ones of version 2, plans with bodies, written inputs or custom kernels of
/// version 3, those with library kernels, or custom kernels that are given sizes, of version 4.
inline constexpr uint32_t planMajorVersion = 4;
inline constexpr uint32_t planMinorVersion = 0;
inline constexpr uint32_t staticPlanMajorVersion = 1;
inline constexpr uint32_t symbolicPlanMajorVersion = 2;
inline constexpr uint32_t controlPlanMajorVersion = 3;
inline constexpr uint32_t customSizesPlanMajorVersion = 4;
/// Of files with programs for GPUs, which older readers pass over.
inline constexpr uint32_t gpuPlanMinorVersion = 1;

/// Bytes of the prefix; the header follows it.
inline constexpr uint64_t planPrefixBytes = 64;
/// Segments, and the parts of a code segment, start at multiples of this: pages that are mapped.
inline constexpr uint64_t planPageBytes = 4096;
/// Constants start at multiples of this in the weights segment.
inline constexpr uint64_t planConstantAlignment = 64;
/// Images of kernels for GPUs start at multiples of this in a code segment.
inline constexpr uint64_t planImageAlignment = 16;
/// Targets that a file may have.
inline constexpr size_t mostPlanTargets = 64;
/// Expressions of sizes that a file may have, and characters of all of them.
inline constexpr size_t mostPlanSizes = size_t(1) << 16;
inline constexpr size_t mostPlanSizeText = size_t(1) << 20;
/// Headers above this are refused: FlatBuffers end at 2 GiB.
inline constexpr uint64_t mostPlanHeaderBytes = uint64_t(1) << 30;

/// `bytes` rounded up to a multiple of `alignment`; it must not be within one of 2^64.
inline constexpr uint64_t alignPlanBytes(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// What the prefix says.
struct PlanPrefix {
  uint32_t major = staticPlanMajorVersion;
  uint32_t minor = planMinorVersion;
  uint64_t headerBytes = 0;
  uint64_t fileBytes = 0;
  uint32_t headerChecksum = 0;
};

/// CRC-32 of the bytes: it finds every change within 32 bits in a row, so every changed byte.
/// `before`: the checksum of the bytes before these.
uint32_t planChecksum(std::span<const std::byte> bytes, uint32_t before = 0);

/// The prefix as it stands in a file: magic, versions, sizes, checksums of the header and of
/// itself.
std::array<std::byte, planPrefixBytes> encodePrefix(const PlanPrefix &prefix);

/// Reads the first planPrefixBytes bytes. Input errors, without the file's name: no saved plan,
/// damaged, or of another major version.
Expected<PlanPrefix> decodePrefix(std::span<const std::byte> bytes);

/// True if the bytes start as a saved plan does.
bool startsAsPlan(std::span<const std::byte> bytes);

} // namespace zyxc::rt
