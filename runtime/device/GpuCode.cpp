#include "runtime/device/GpuCode.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace zyxc::rt {

/// The number at the start of a text, which may end in a letter; nothing where there is none.
static std::optional<uint64_t> numberIn(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// The number of the limit `name` in a need such as "threads256".
static std::optional<uint64_t> limitIn(std::string_view need, std::string_view name) {
  return need.starts_with(name) ? numberIn(need.substr(name.size())) : std::nullopt;
}

/// PTX of an architecture runs on later ones, that of "sm_90a" on its own only.
static bool runsArchitecture(std::string_view architecture, const GpuDeviceInfo &device) {
  auto wanted = limitIn(architecture, "sm_");
  auto own = limitIn(device.target, "sm_");
  bool exact = architecture.ends_with('a');
  return wanted && own && (exact ? architecture == device.target : *own >= *wanted);
}

/// A cubin runs on its architecture and on those of the same generation after it.
static bool runsCubin(std::string_view architecture, const GpuDeviceInfo &device) {
  constexpr uint64_t minors = 10;
  auto wanted = limitIn(architecture, "sm_");
  auto own = limitIn(device.target, "sm_");
  return device.runsCubins && runsArchitecture(architecture, device) &&
         *wanted / minors == *own / minors;
}

/// "Vulkan 1.3.230" is 1003.
static uint64_t vulkanVersion(std::string_view text) {
  size_t dot = text.find('.');
  auto major = numberIn(text);
  auto minor = dot == text.npos ? std::nullopt : numberIn(text.substr(dot + 1));
  constexpr uint64_t most = 1000;
  return major && minor && *minor < most ? *major * most + *minor : UINT64_MAX;
}

static bool hasVulkan(std::string_view wanted, const GpuDeviceInfo &device) {
  std::string_view own = device.api;
  constexpr std::string_view prefix = "Vulkan ";
  return own.starts_with(prefix) &&
         vulkanVersion(own.substr(prefix.size())) >= vulkanVersion(wanted);
}

static bool hasNeed(std::string_view need, const GpuDeviceInfo &device) {
  struct Flag {
    std::string_view name;
    bool value;
  };
  const Flag flags[] = {
      {"float16", device.float16},
      {"float64", device.float64},
      {"int8", device.int8},
      {"int16", device.int16},
      {"storage16", device.int16 || device.float16},
      {"infnan", device.preservesInfNan},
      {"denormals", device.preservesDenormals},
  };
  for (const Flag &flag : flags) {
    if (need == flag.name) {
      return flag.value;
    }
  }
  constexpr std::string_view vulkan = "vulkan";
  if (need.starts_with(vulkan)) {
    return hasVulkan(need.substr(vulkan.size()), device);
  }
  if (auto threads = limitIn(need, "threads")) {
    return device.maxThreads >= *threads;
  }
  if (auto bytes = limitIn(need, "shared")) {
    return device.sharedBytes >= *bytes;
  }
  return runsArchitecture(need, device);
}

std::vector<std::string> missingNeeds(std::span<const std::string> needs,
                                      const GpuDeviceInfo &device) {
  std::vector<std::string> missing;
  std::copy_if(needs.begin(), needs.end(), std::back_inserter(missing),
               [&](const std::string &need) { return !hasNeed(need, device); });
  return missing;
}

Expected<size_t> chooseCode(std::span<const GpuCode> codes, const GpuDeviceInfo &device) {
  std::string reasons;
  for (size_t i = 0; i < codes.size(); ++i) {
    const GpuCode &code = codes[i];
    std::string reason;
    if (code.form == GpuCodeForm::Cubin) {
      if (!runsCubin(code.architecture, device)) {
        continue; // the PTX behind it says what is needed
      }
    } else if (code.subgroupSize != 0 && code.subgroupSize != device.subgroupSize) {
      reason = fmt::format("code for subgroups of {} threads", code.subgroupSize);
    } else if (device.maxLoopTurns != 0 && code.loopTurns > device.maxLoopTurns) {
      reason = fmt::format("more than {} turns of loops in one thread, which it cuts off",
                           device.maxLoopTurns);
    }
    if (reason.empty()) {
      return i;
    }
    reasons += (reasons.empty() ? "" : ", ") + reason;
  }
  return makeError(ErrorCode::Device, "{} (subgroups of {}) runs no code of it: there is {}",
                   device.name, device.subgroupSize, reasons.empty() ? "none" : reasons);
}

} // namespace zyxc::rt
