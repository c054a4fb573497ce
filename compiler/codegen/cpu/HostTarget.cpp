#include "compiler/codegen/cpu/HostTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace zyxc {

HostTarget HostTarget::detect() {
  HostTarget target;
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> flags = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (const auto &flag : flags) {
    names.push_back((flag.second ? "+" : "-") + flag.first().str());
  }
  std::sort(names.begin(), names.end(),
            [](const auto &a, const auto &b) { return a.substr(1) < b.substr(1); });
  target.features = fmt::format("{}", fmt::join(names, ","));
  auto has = [&](llvm::StringRef name) {
    return flags.lookup(name);
  };
  if (has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq")) {
    target.vectorBits = 512;
  } else if (has("avx2") && has("fma")) {
    target.vectorBits = 256;
  }
  return target;
}

HostTarget HostTarget::baseline() {
  return {"x86-64-v3", "", 256};
}

Expected<HostTarget> HostTarget::named(std::string_view name) {
  HostTarget here = detect();
  if (name == "host-avx2") {
    return baseline();
  }
  if (name == "host-avx512" && here.vectorBits < 512) {
    return makeError(ErrorCode::Device, "--target={}: this processor has no AVX-512; use host",
                     name);
  }
  if (name == "host-scalar") {
    return HostTarget{"x86-64-v3", "", 64};
  }
  return here;
}

bool HostTarget::isOfModel(std::string_view name) {
  return name == "cpu" || name.starts_with("cpu:");
}

std::string HostTarget::fullName(std::string_view name) {
  return std::string(name == "cpu" ? "cpu:native" : name);
}

Expected<HostTarget> HostTarget::ofModel(std::string_view name) {
  if (name == "cpu" || name == "cpu:native") {
    return detect();
  }
  if (name == "cpu:x86-64-v3") {
    return baseline();
  }
  if (name == "cpu:x86-64-v4") {
    return HostTarget{"x86-64-v4", "", 512};
  }
  return makeError(ErrorCode::Usage, "use cpu, cpu:native, cpu:x86-64-v3 or cpu:x86-64-v4");
}

std::vector<std::string> HostTarget::neededFeatures() const {
  llvm::StringMap<bool> flags;
  llvm::SmallVector<llvm::StringRef> ofCpu, parts;
  if (features.empty()) {
    llvm::X86::getFeaturesForCPU(cpu, ofCpu);
  }
  for (llvm::StringRef feature : ofCpu) {
    flags[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, true, flags);
  }
  llvm::StringRef(features).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    flags[part.substr(1)] = part.starts_with("+");
  }
  std::vector<std::string> needed;
  for (const auto &flag : flags) {
    if (flag.second) {
      needed.push_back(flag.first().str());
    }
  }
  std::sort(needed.begin(), needed.end());
  return needed;
}

std::string HostTarget::describe() const {
  return fmt::format("host {} {}-bit {}{}", cpu, vectorBits, features, exact ? " exact" : "");
}

} // namespace zyxc
