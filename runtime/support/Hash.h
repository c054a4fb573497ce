// One 64-bit hash for everything that zyxc hashes: stable over runs and platforms of one byte
// order, so that ids, orders and cache keys built on it are reproducible.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zyxc {

/// Mixes two 64-bit values (128-bit multiply and fold, as wyhash does).
inline uint64_t hashMix(uint64_t a, uint64_t b) {
  __uint128_t product = static_cast<__uint128_t>(a ^ 0x9e3779b97f4a7c15ull) *
                        static_cast<__uint128_t>(b ^ 0xe7037ed1a0b428dbull);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// Hash of `size` bytes at `data`.
uint64_t hashBytes(const void *data, size_t size, uint64_t seed = 0);

inline uint64_t hashString(std::string_view text) {
  return hashBytes(text.data(), text.size());
}

} // namespace zyxc
