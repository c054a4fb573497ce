#include "runtime/plan/Plan.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::rt {

bool Kernel::isSymbolic() const {
  return dim::isSymbolic(numTasks) || dim::isSymbolic(join.numTasks) ||
         dim::isSymbolic(static_cast<int64_t>(join.sharedBytes)) || dim::anySymbolic(dims) ||
         dim::isSymbolic(control.limit);
}

bool Plan::isSymbolic() const {
  auto isOpen = [](const NamedType &port) {
    return dim::anySymbolic(port.type.shape);
  };
  return !lifetimes.empty() || !guards.empty() ||
         std::any_of(inputs.begin(), inputs.end(), isOpen) ||
         std::any_of(outputs.begin(), outputs.end(), isOpen) ||
         std::any_of(kernels.begin(), kernels.end(),
                     [](const Kernel &kernel) { return kernel.isSymbolic(); }) ||
         std::any_of(bodies.begin(), bodies.end(),
                     [](const Plan &body) { return body.isSymbolic(); });
}

template <class P> static void addPlans(std::vector<P *> &list, P &plan) {
  list.push_back(&plan);
  for (P &body : plan.bodies) {
    addPlans(list, body);
  }
}

std::vector<const Plan *> wholePlan(const Plan &plan) {
  std::vector<const Plan *> list;
  addPlans(list, plan);
  return list;
}

std::vector<Plan *> wholePlan(Plan &plan) {
  std::vector<Plan *> list;
  addPlans(list, plan);
  return list;
}

uint64_t carriedBytes(const Plan &body, uint32_t numCarried) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < numCarried; ++i) {
    uint64_t own = body.outputs[1 + i].type.byteSize();
    bytes += (own + outputAlignment - 1) / outputAlignment * outputAlignment;
  }
  return bytes;
}

uint64_t Plan::plannedBytes(int threads) const {
  uint64_t scratch = 0;
  uint64_t shared = 0;
  uint64_t own = 0;
  for (const Plan *plan : wholePlan(*this)) {
    own += plan->arenaBytes + plan->preparedBytes;
    for (const Kernel &kernel : plan->kernels) {
      scratch = std::max(scratch, kernel.scratchBytes);
      shared = std::max(shared, kernel.join.sharedBytes);
      if (kernel.control.kind == Control::Kind::Loop) {
        own += carriedBytes(plan->bodies[kernel.control.bodies[0]], kernel.control.numCarried);
      }
    }
  }
  uint64_t results = 0;
  for (const NamedType &output : outputs) {
    results += output.type.byteSize();
  }
  return own + results + shared + scratch * static_cast<uint64_t>(std::max(threads, 1));
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

/// "if body 0 else body 1", "loop body 0 to 7, 2 carried".
static std::string controlText(const Control &control) {
  if (control.kind == Control::Kind::If) {
    return fmt::format("if body {} else body {}", control.bodies[0], control.bodies[1]);
  }
  return fmt::format("loop body {} to {}, {} carried", control.bodies[0],
                     sizeText(static_cast<uint64_t>(control.limit)), control.numCarried);
}

static std::string kernelText(const Kernel &kernel) {
  if (kernel.control.kind != Control::Kind::None) {
    return fmt::format("kernel {} {}\n", kernel.name, controlText(kernel.control));
  }
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
  if (!kernel.symbol.empty()) {
    text += kernel.library.empty() ? " custom " : fmt::format(" library {} ", kernel.library);
    text += kernel.symbol;
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

/// A body's text, as a part of the plan's.
static std::string indented(std::string_view text) {
  std::string result;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin) + 1;
    result += fmt::format("  {}", text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

std::string Plan::toText() const {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    text += fmt::format("input {} {}: {}{}\n", i, inputs[i].name, toString(inputs[i].type),
                        inputs[i].written ? ", written" : "");
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
  for (size_t i = 0; i < bodies.size(); ++i) {
    text += fmt::format("body {}:\n{}", i, indented(bodies[i].toText()));
  }
  return text;
}

} // namespace zyxc::rt
