#include "runtime/support/Memory.h"
#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fstream>

namespace zyxc {

/// First integer of a small system file; nothing when it is absent or says "max".
static std::optional<uint64_t> readNumber(const char *path) {
  std::ifstream file(path);
  uint64_t value;
  if (file >> value) {
    return value;
  }
  return std::nullopt;
}

/// Value of `key` in a file of "key value ..." lines; zero when absent.
static uint64_t readKey(const char *path, std::string_view key) {
  std::ifstream file(path);
  std::string found;
  uint64_t value;
  std::string rest;
  while (file >> found >> value) {
    std::getline(file, rest);
    if (found == key) {
      return value;
    }
  }
  return 0;
}

uint64_t availableMemory() {
  uint64_t available = readKey("/proc/meminfo", "MemAvailable:") * 1024;
  auto limit = readNumber("/sys/fs/cgroup/memory.max");
  auto charged = readNumber("/sys/fs/cgroup/memory.current");
  if (limit && charged) {
    // Cached file pages are charged to the group but given back on demand.
    uint64_t cache = readKey("/sys/fs/cgroup/memory.stat", "inactive_file");
    uint64_t used = *charged > cache ? *charged - cache : 0;
    uint64_t left = *limit > used ? *limit - used : 0;
    available = available ? std::min(available, left) : left;
  }
  return available;
}

std::string formatBytes(uint64_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::optional<uint64_t> parseBytes(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) {
    return std::nullopt;
  }
  std::string_view suffix = text.substr(end - text.data());
  if (suffix.ends_with("iB")) {
    suffix.remove_suffix(2);
  } else if (suffix.ends_with("B")) {
    suffix.remove_suffix(1);
  }
  if (suffix.empty()) {
    return value;
  }
  constexpr std::string_view units = "KMGT";
  size_t position = suffix.size() == 1 ? units.find(suffix[0]) : units.npos;
  if (position == units.npos) {
    return std::nullopt;
  }
  uint64_t factor = 1ull << (10 * (position + 1));
  uint64_t result;
  return __builtin_mul_overflow(value, factor, &result) ? std::nullopt : std::optional(result);
}

} // namespace zyxc
