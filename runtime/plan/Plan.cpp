#include "runtime/plan/Plan.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::rt {

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

static std::string toText(const BufferRef &buffer) {
  switch (buffer.space) {
  case Space::Input: return fmt::format("input{}+{}:{}", buffer.index, buffer.offset, buffer.bytes);
  case Space::Output:
    return fmt::format("output{}+{}:{}", buffer.index, buffer.offset, buffer.bytes);
  case Space::Constant:
    return fmt::format("constant{}+{}:{}", buffer.index, buffer.offset, buffer.bytes);
  case Space::Arena: return fmt::format("arena+{}:{}", buffer.offset, buffer.bytes);
  case Space::Prepared: return fmt::format("prepared+{}:{}", buffer.offset, buffer.bytes);
  }
  return "";
}

static void addLaunches(std::string &text, std::string_view title, const Plan &plan,
                        const std::vector<Launch> &launches) {
  text += fmt::format("{}:\n", title);
  for (const Launch &launch : launches) {
    text += fmt::format("  {}(", plan.kernels[launch.kernel].name);
    for (size_t i = 0; i < launch.ports.size(); ++i) {
      text += (i ? ", " : "") + toText(launch.ports[i]);
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
    text += fmt::format("kernel {} tasks {} scratch {}", kernel.name, kernel.numTasks,
                        kernel.scratchBytes);
    text += kernel.join.entry
                ? fmt::format(" join {} shared {}\n", kernel.join.numTasks, kernel.join.sharedBytes)
                : "\n";
  }
  text += fmt::format("arena {} bytes\nprepared {} bytes\n", arenaBytes, preparedBytes);
  addLaunches(text, "prepare", *this, prepare);
  addLaunches(text, "steps", *this, steps);
  return text;
}

} // namespace zyxc::rt
