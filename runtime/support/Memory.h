// Sizes of the machine's memory and their text form.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zyxc {

/// Bytes that can be allocated without swapping, as the system estimates it; the control group's
/// limit is honoured. Zero when the system does not say.
uint64_t availableMemory();

/// "1.5 GiB", "640 KiB", "12 B".
std::string formatBytes(uint64_t bytes);

/// Reads "1500", "64K", "512MiB", "2G" (powers of 1024); nothing when it is not a size.
std::optional<uint64_t> parseBytes(std::string_view text);

} // namespace zyxc
