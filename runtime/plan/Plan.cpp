#include "runtime/plan/Plan.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::rt {

bool Kernel::isSymbolic() const {
  return dim::isSymbolic(numTasks) || dim::isSymbolic(join.numTasks) ||
         dim::isSymbolic(static_cast<int64_t>(join.sharedBytes)) || dim::anySymbolic(dims);
}

bool Plan::isSymbolic() const {
  auto isOpen = [](const NamedType &port) {
    return dim::anySymbolic(port.type.shape);
  };
  return !lifetimes.empty() || !guards.empty() ||
         std::any_of(inputs.begin(), inputs.end(), isOpen) ||
         std::any_of(outputs.begin(), outputs.end(), isOpen) ||
         std::any_of(kernels.begin(), kernels.end(),
                     [](const Kernel &kernel) { return kernel.isSymbolic(); });
}

uint64_t Plan::plannedBytes(int threads) const {
  uint64_t scratch = 0;
  uint64_t shared = 0;
  for (const Kernel &kernel : kernels) {
    scratch = std::max(scratch, kernel.scratchBytes);
    shared = std::max(shared, kernel.join.sharedBytes);
  }
  uint64_t results = 0;
  for (const NamedType &output : outputs) {
    results += output.type.byteSize();
  }
  return arenaBytes + preparedBytes + results + shared +
         scratch * static_cast<uint64_t>(std::max(threads, 1));
}

static std::string sizeText(uint64_t size) {
  auto value = static_cast<int64_t>(size);
  return dim::isSymbolic(value) ? "(" + dim::toString(value) + ")" : std::to_string(size);
}

static std::string toText(const BufferRef &buffer, bool hasLifetimes) {
  std::string range = fmt::format("+{}:{}", sizeText(buffer.offset), sizeText(buffer.bytes));
  switch (buffer.space) {
  case Space::Input: return fmt::format("input{}{}", buffer.index, range);
  case Space::Output: return fmt::format("output{}{}", buffer.index, range);
  case Space::Constant: return fmt::format("constant{}{}", buffer.index, range);
  case Space::Arena:
    return hasLifetimes ? fmt::format("arena{}{}", buffer.index, range) : "arena" + range;
  case Space::Prepared: return "prepared" + range;
  }
  return "";
}

static std::string kernelText(const Kernel &kernel) {
  std::string text =
      fmt::format("kernel {} tasks {} scratch {}", kernel.name,
                  sizeText(static_cast<uint64_t>(kernel.numTasks)), kernel.scratchBytes);
  if (kernel.join.entry) {
    text += fmt::format(" join {} shared {}", sizeText(static_cast<uint64_t>(kernel.join.numTasks)),
                        sizeText(kernel.join.sharedBytes));
  }
  for (size_t i = 0; i < kernel.dims.size(); ++i) {
    text += (i ? ", " : " dims ") + dim::toString(kernel.dims[i]);
  }
  return text + "\n";
}

static void addLaunches(std::string &text, std::string_view title, const Plan &plan,
                        const std::vector<Launch> &launches) {
  text += fmt::format("{}:\n", title);
  for (const Launch &launch : launches) {
    text += fmt::format("  {}(", plan.kernels[launch.kernel].name);
    for (size_t i = 0; i < launch.ports.size(); ++i) {
      text += (i ? ", " : "") + toText(launch.ports[i], !plan.lifetimes.empty());
    }
    text += launch.label.empty() ? ")\n" : fmt::format(")  // {}\n", launch.label);
  }
}

std::string Plan::toText() const {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    text += fmt::format("input {} {}: {}\n", i, inputs[i].name, toString(inputs[i].type));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    text += fmt::format("output {} {}: {}\n", i, outputs[i].name, toString(outputs[i].type));
  }
  for (size_t i = 0; i < constants.size(); ++i) {
    text += fmt::format("constant {}: {} hash {:016x}\n", i, toString(constants[i].type()),
                        constants[i].hash());
  }
  for (const Kernel &kernel : kernels) {
    text += kernelText(kernel);
  }
  for (const SizeGuard &guard : guards) {
    text += fmt::format("guard {}: {} needs {} >= 0\n", guard.origin, guard.text,
                        dim::toString(guard.size));
  }
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    text += fmt::format("arena{} {} bytes, steps {} to {}\n", i, sizeText(lifetimes[i].bytes),
                        lifetimes[i].first, lifetimes[i].last);
  }
  text += fmt::format("arena {} bytes\nprepared {} bytes\n", arenaBytes, preparedBytes);
  addLaunches(text, "prepare", *this, prepare);
  addLaunches(text, "steps", *this, steps);
  return text;
}

} // namespace zyxc::rt
