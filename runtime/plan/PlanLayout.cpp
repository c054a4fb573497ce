#include "runtime/plan/PlanLayout.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <zlib.h>

namespace zyxc::rt {

static_assert(std::endian::native == std::endian::little, "saved plans are little endian");

/// As PNG's: not text, and changed by transfers that rewrite line ends.
static constexpr std::array<unsigned char, 8> magic = {0x89, 'z', 'y', 'x', 'p', '\r', '\n', 0x1a};

/// Places of the prefix's fields. What is between them is zero.
static constexpr size_t majorAt = 8, minorAt = 12, headerBytesAt = 16, fileBytesAt = 24,
                        headerChecksumAt = 32, prefixChecksumAt = 60;

uint32_t planChecksum(std::span<const std::byte> bytes, uint32_t before) {
  // Of no bytes zlib takes a null pointer as a question for the first value.
  return bytes.empty() ? before
                       : static_cast<uint32_t>(crc32_z(
                             before, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

bool startsAsPlan(std::span<const std::byte> bytes) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

std::array<std::byte, planPrefixBytes> encodePrefix(const PlanPrefix &prefix) {
  std::array<std::byte, planPrefixBytes> bytes{};
  auto put = [&](size_t place, const auto &value) {
    std::memcpy(bytes.data() + place, &value, sizeof(value));
  };
  put(0, magic);
  put(majorAt, prefix.major);
  put(minorAt, prefix.minor);
  put(headerBytesAt, prefix.headerBytes);
  put(fileBytesAt, prefix.fileBytes);
  put(headerChecksumAt, prefix.headerChecksum);
  put(prefixChecksumAt, planChecksum(std::span(bytes).first(prefixChecksumAt)));
  return bytes;
}

Expected<PlanPrefix> decodePrefix(std::span<const std::byte> bytes) {
  if (bytes.size() < planPrefixBytes || !startsAsPlan(bytes)) {
    return makeError(ErrorCode::Input, "no saved plan, or damaged: make one with zyxc compile");
  }
  auto get = [&](size_t place, auto &value) {
    std::memcpy(&value, bytes.data() + place, sizeof(value));
  };
  uint32_t checksum = 0;
  get(prefixChecksumAt, checksum);
  if (checksum != planChecksum(bytes.first(prefixChecksumAt))) {
    return makeError(ErrorCode::Input,
                     "damaged in its first {} bytes: make it again with zyxc "
                     "compile, or copy it again",
                     planPrefixBytes);
  }
  PlanPrefix prefix;
  get(majorAt, prefix.major);
  get(minorAt, prefix.minor);
  get(headerBytesAt, prefix.headerBytes);
  get(fileBytesAt, prefix.fileBytes);
  get(headerChecksumAt, prefix.headerChecksum);
  if (prefix.major < staticPlanMajorVersion || prefix.major > planMajorVersion) {
    return makeError(ErrorCode::Input,
                     "a saved plan of format {}, this zyxc reads formats {} to {}: compile the "
                     "model with the zyxc that runs it",
                     prefix.major, staticPlanMajorVersion, planMajorVersion);
  }
  return prefix;
}

} // namespace zyxc::rt
