#include "runtime/plan/BindPlan.h"
#include "runtime/plan/CheckControl.h"
#include "runtime/plan/PackArena.h"
#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace zyxc::rt {

namespace {

/// Sizes under bindings. Plans repeat few expressions many times.
class Values {
public:
  explicit Values(const dim::Bindings &sizes) : sizes(sizes) {}

  /// The number that a size is; of any sign.
  Expected<int64_t> of(int64_t size) {
    if (!dim::isSymbolic(size)) {
      return size;
    }
    auto known = numbers.find(size);
    if (known == numbers.end()) {
      ZYXC_ASSIGN(int64_t number, dim::evaluate(size, sizes));
      known = numbers.emplace(size, number).first;
    }
    return known->second;
  }

  /// The number of bytes that a size is; Input if it is none.
  Expected<uint64_t> bytes(uint64_t size) {
    ZYXC_ASSIGN(int64_t number, of(static_cast<int64_t>(size)));
    if (number < 0) {
      return wrong("bytes", static_cast<int64_t>(size), number);
    }
    if (static_cast<uint64_t>(number) > mostPlanBytes) {
      return makeError(ErrorCode::OutOfMemory, "memory of {} bytes{}: use smaller sizes", number,
                       where(static_cast<int64_t>(size)));
    }
    return static_cast<uint64_t>(number);
  }

  /// The number of tasks (or what they are) that a size is; Input if it is none.
  Expected<int64_t> tasks(int64_t size, std::string_view what = "tasks") {
    ZYXC_ASSIGN(int64_t number, of(size));
    return number >= 0 && number <= mostPlanTasks ? Expected<int64_t>(number)
                                                  : wrong(what, size, number);
  }

  /// " at M = 2, N = 3", with the variables of a size; nothing for a number.
  std::string where(int64_t size) const {
    std::string text;
    for (const std::string &name : dim::variables(size)) {
      auto value = sizes.find(name);
      text += fmt::format("{} {} = {}", text.empty() ? " at" : ",", name,
                          value == sizes.end() ? "?" : dim::toString(value->second));
    }
    return text;
  }

private:
  Status wrong(std::string_view what, int64_t size, int64_t number) const {
    return makeError(ErrorCode::Input,
                     "malformed ({} {}{}, {}): make the plan again with zyxc compile", number, what,
                     where(size), dim::toString(size));
  }

  const dim::Bindings &sizes;
  std::unordered_map<int64_t, int64_t> numbers;
};

/// Fills in the numbers of a copy of a plan.
class Binder {
public:
  Binder(const Plan &plan, const dim::Bindings &sizes)
      : open(plan), sizes(sizes), values(sizes), plan(plan) {}

  Expected<Plan> run() {
    ZYXC_RETURN_IF_ERROR(checkVariables());
    ZYXC_RETURN_IF_ERROR(checkGuards());
    ZYXC_ASSIGN(plan.inputs, bindTypes(open.inputs, sizes));
    ZYXC_ASSIGN(plan.outputs, bindTypes(open.outputs, sizes));
    ZYXC_RETURN_IF_ERROR(bindKernels());
    ZYXC_RETURN_IF_ERROR(placeArena());
    ZYXC_RETURN_IF_ERROR(bindBuffers());
    rescaleTimes();
    for (size_t i = 0; i < open.bodies.size(); ++i) {
      ZYXC_ASSIGN(plan.bodies[i], Binder(open.bodies[i], sizes).run());
    }
    plan.guards.clear();
    plan.lifetimes.clear();
    return std::move(plan);
  }

private:
  Status checkVariables() const {
    std::set<std::string> missing = sizeVariables(open);
    for (const auto &[name, value] : sizes) {
      missing.erase(name);
    }
    return missingSizes(missing);
  }

  Status checkGuards() {
    for (const SizeGuard &guard : open.guards) {
      ZYXC_ASSIGN(int64_t number, values.of(guard.size));
      if (number < 0) {
        return makeError(ErrorCode::Usage, "{}: {} needs {} >= 0, which is not so{}", guard.origin,
                         guard.text, dim::toString(guard.size), values.where(guard.size));
      }
    }
    return Status::ok();
  }

  Status bindKernels() {
    for (Kernel &kernel : plan.kernels) {
      ZYXC_ASSIGN(kernel.numTasks, values.tasks(kernel.numTasks));
      ZYXC_ASSIGN(kernel.join.numTasks, values.tasks(kernel.join.numTasks));
      ZYXC_ASSIGN(kernel.control.limit, values.tasks(kernel.control.limit, "iterations"));
      bool hasShared = kernel.join.sharedBytes > 0; // then it has a slot, whatever the size
      ZYXC_ASSIGN(kernel.join.sharedBytes, values.bytes(kernel.join.sharedBytes));
      kernel.join.sharedBytes = std::max<uint64_t>(kernel.join.sharedBytes, hasShared);
      for (int64_t &size : kernel.dims) {
        ZYXC_ASSIGN(size, values.of(size));
      }
    }
    return Status::ok();
  }

  Status placeArena() {
    if (open.lifetimes.empty()) {
      return Status::ok();
    }
    uint64_t sum = 0;
    for (Lifetime &lifetime : plan.lifetimes) {
      ZYXC_ASSIGN(lifetime.bytes, values.bytes(lifetime.bytes));
      sum += alignUp(lifetime.bytes);
      if (sum > mostPlanBytes) {
        return makeError(ErrorCode::OutOfMemory, "buffers of more than {} bytes: use smaller sizes",
                         mostPlanBytes);
      }
    }
    places = packLifetimes(plan.lifetimes, plan.arenaBytes);
    return Status::ok();
  }

  /// Bytes of what a buffer is a part of; nothing if there is no such thing.
  std::optional<uint64_t> available(const BufferRef &buffer) const {
    auto ofType = [&](const auto &list, auto bytes) {
      return buffer.index < list.size() ? std::optional<uint64_t>(bytes(list[buffer.index]))
                                        : std::nullopt;
    };
    auto ofPort = [](const NamedType &port) {
      return port.type.byteSize();
    };
    switch (buffer.space) {
    case Space::Input: return ofType(plan.inputs, ofPort);
    case Space::Output: return ofType(plan.outputs, ofPort);
    case Space::Constant:
      return ofType(plan.constants, [](const Tensor &constant) { return constant.byteSize(); });
    case Space::Arena:
      return open.lifetimes.empty()
                 ? plan.arenaBytes
                 : ofType(plan.lifetimes, [](const Lifetime &lifetime) { return lifetime.bytes; });
    case Space::Prepared: return plan.preparedBytes;
    }
    return std::nullopt;
  }

  Status bindBuffer(BufferRef &buffer, const Launch &launch) {
    ZYXC_ASSIGN(buffer.offset, values.bytes(buffer.offset));
    ZYXC_ASSIGN(buffer.bytes, values.bytes(buffer.bytes));
    std::optional<uint64_t> size = available(buffer);
    if (!size || buffer.offset > *size || buffer.bytes > *size - buffer.offset) {
      return makeError(ErrorCode::Input,
                       "malformed (bytes {} to {} of {} in a launch of {}{}): make the plan again "
                       "with zyxc compile",
                       buffer.offset, buffer.offset + buffer.bytes, size.value_or(0),
                       plan.kernels[launch.kernel].name, values.where(allVariables()));
    }
    if (buffer.space == Space::Arena && !open.lifetimes.empty()) {
      buffer.offset += places[buffer.index];
      buffer.index = 0;
    }
    return Status::ok();
  }

  /// A size with all variables, for messages.
  int64_t allVariables() const {
    int64_t sum = 0;
    for (const auto &[name, value] : sizes) {
      sum = dim::add(sum, dim::variable(name));
    }
    return sum;
  }

  Status bindBuffers() {
    for (Launch &launch : plan.steps) {
      for (BufferRef &buffer : launch.ports) {
        ZYXC_RETURN_IF_ERROR(bindBuffer(buffer, launch));
      }
    }
    return Status::ok();
  }

  /// Estimates were made for typical sizes: they grow and shrink with the bytes of a launch.
  void rescaleTimes() {
    std::vector<bool> done(plan.kernels.size(), false);
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      Kernel &kernel = plan.kernels[plan.steps[i].kernel];
      if (done[plan.steps[i].kernel] || kernel.picoseconds == 0) {
        continue;
      }
      done[plan.steps[i].kernel] = true;
      double typical = 1;
      double actual = 1;
      for (size_t port = 0; port < plan.steps[i].ports.size(); ++port) {
        auto size = static_cast<int64_t>(open.steps[i].ports[port].bytes);
        typical += static_cast<double>(std::max<int64_t>(dim::estimate(size), 0));
        actual += static_cast<double>(plan.steps[i].ports[port].bytes);
      }
      double scaled = static_cast<double>(kernel.picoseconds) * (actual / typical);
      kernel.picoseconds = std::max<int64_t>(1, static_cast<int64_t>(std::min(scaled, 1e18)));
    }
  }

  const Plan &open;
  const dim::Bindings &sizes;
  Values values;
  Plan plan;
  std::vector<uint64_t> places; ///< of lifetimes in the arena
};

} // namespace

Expected<std::vector<NamedType>> bindTypes(std::span<const NamedType> types,
                                           const dim::Bindings &sizes) {
  Values values(sizes);
  std::vector<NamedType> bound(types.begin(), types.end());
  for (NamedType &item : bound) {
    for (size_t i = 0; i < item.type.shape.size(); ++i) {
      int64_t size = item.type.shape[i];
      ZYXC_ASSIGN(item.type.shape[i], values.of(size));
      if (item.type.shape[i] < 0) {
        return makeError(ErrorCode::Usage, "'{}' has size {} at axis {}: it is {}{}", item.name,
                         item.type.shape[i], i, dim::toString(size), values.where(size));
      }
    }
    auto elements = checkedNumElements(item.type.shape);
    if (!elements || static_cast<uint64_t>(*elements) > mostPlanBytes / byteSize(item.type.dtype)) {
      return makeError(ErrorCode::OutOfMemory, "'{}' is {}, over 2^48 bytes: use smaller sizes",
                       item.name, toString(item.type));
    }
  }
  return bound;
}

Expected<Plan> bind(const Plan &plan, const dim::Bindings &sizes) {
  ZYXC_ASSIGN(Plan bound, Binder(plan, sizes).run());
  ZYXC_RETURN_IF_ERROR(checkControl(bound));
  return bound;
}

} // namespace zyxc::rt
