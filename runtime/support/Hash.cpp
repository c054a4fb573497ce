#include "runtime/support/Hash.h"
#include <cstring>

namespace zyxc {

static uint64_t load64(const unsigned char *p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

uint64_t hashBytes(const void *data, size_t size, uint64_t seed) {
  const auto *p = static_cast<const unsigned char *>(data);
  uint64_t lanes[4] = {seed + 1, seed + 2, seed + 3, seed + 4};
  size_t left = size;
  for (; left >= 64; left -= 64, p += 64) {
    for (int lane = 0; lane < 4; ++lane) {
      lanes[lane] = hashMix(lanes[lane] ^ load64(p + 16 * lane), load64(p + 16 * lane + 8));
    }
  }
  uint64_t hash = hashMix(hashMix(lanes[0], lanes[1]), hashMix(lanes[2], lanes[3]));
  for (; left >= 8; left -= 8, p += 8) {
    hash = hashMix(hash, load64(p));
  }
  uint64_t tail = 0;
  if (left > 0) { // no bytes may come with a null pointer
    std::memcpy(&tail, p, left);
  }
  return hashMix(hashMix(hash, tail), size);
}

} // namespace zyxc
