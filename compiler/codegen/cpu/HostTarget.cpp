#include "compiler/codegen/cpu/HostTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
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

std::string HostTarget::describe() const {
  return fmt::format("host {} {}-bit {}", cpu, vectorBits, features);
}

} // namespace zyxc
