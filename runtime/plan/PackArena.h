// The packing of buffers into one arena: those that live at one time do not overlap.
#pragma once
#include "runtime/plan/Plan.h"

namespace zyxc::rt {

/// What the places of buffers in an arena are a multiple of, in bytes.
inline constexpr uint64_t bufferAlignment = 256;

inline uint64_t alignUp(uint64_t bytes) {
  return (bytes + bufferAlignment - 1) / bufferAlignment * bufferAlignment;
}

/// Offsets, aligned, so that buffers that live at one time do not overlap: the largest first, each
/// at the lowest place that is free. Sizes must be numbers. `totalBytes` receives the size of the
/// arena.
std::vector<uint64_t> packLifetimes(const std::vector<Lifetime> &lifetimes, uint64_t &totalBytes);

/// The most bytes that live at one time, each buffer rounded up to the alignment: no arena is
/// smaller. Sizes must be numbers.
uint64_t liveBytes(const std::vector<Lifetime> &lifetimes);

} // namespace zyxc::rt
