#include "runtime/plan/CheckControl.h"
#include <algorithm>

namespace zyxc::rt {

template <class... Args>
static Status malformed(fmt::format_string<Args...> format, Args &&...args) {
  return makeError(ErrorCode::Input, "malformed ({}): make the plan again with zyxc compile",
                   fmt::format(format, std::forward<Args>(args)...));
}

namespace {

/// A port of a launch as its kernel wants it.
struct WantedPort {
  int64_t bytes = 0;      ///< a size
  int64_t rows = 1;       ///< a size; so many times the bytes
  bool isWritten = false; ///< a result, or a capture that the body writes
};

/// Checks one plan against its bodies.
class Checker {
public:
  explicit Checker(const Plan &plan) : plan(plan), uses(plan.bodies.size(), 0) {}

  Status run() {
    for (const Kernel &kernel : plan.kernels) {
      ZYXC_RETURN_IF_ERROR(checkKernel(kernel));
    }
    for (size_t i = 0; i < uses.size(); ++i) {
      if (uses[i] != 1) {
        return malformed("body {} is used {} times", i, uses[i]);
      }
    }
    for (const Launch &launch : plan.prepare) {
      ZYXC_RETURN_IF_ERROR(checkAtLoad(launch));
      ZYXC_RETURN_IF_ERROR(checkLaunch(launch, true));
    }
    for (const Launch &launch : plan.steps) {
      ZYXC_RETURN_IF_ERROR(checkLaunch(launch, false));
    }
    return Status::ok();
  }

private:
  Status checkKernel(const Kernel &kernel);
  Status checkIf(const Kernel &kernel) const;
  Status checkLoop(const Kernel &kernel) const;
  Status checkAtLoad(const Launch &launch) const;
  Status checkLaunch(const Launch &launch, bool atLoad) const;
  bool mayWrite(const BufferRef &port, bool atLoad) const;
  std::vector<WantedPort> portsOf(const Control &control) const;

  const Plan &plan;
  std::vector<uint32_t> uses; ///< of bodies
};

} // namespace

static int64_t bytesOf(const NamedType &port) {
  return static_cast<int64_t>(port.type.byteSize());
}

/// True unless both are numbers and differ: what is symbolic is compared when it is bound.
static bool mayBeEqual(int64_t a, int64_t b) {
  return a == b || dim::isSymbolic(a) || dim::isSymbolic(b);
}

static bool mayBeEqual(const TensorType &a, const TensorType &b) {
  return a.dtype == b.dtype && a.rank() == b.rank() &&
         std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(),
                    [](int64_t x, int64_t y) { return mayBeEqual(x, y); });
}

static bool mayBeEqual(std::span<const NamedType> a, std::span<const NamedType> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const NamedType &x, const NamedType &y) {
                      return mayBeEqual(x.type, y.type) && x.written == y.written;
                    });
}

Status Checker::checkKernel(const Kernel &kernel) {
  const Control &control = kernel.control;
  bool hasJoin = kernel.join.entry || kernel.join.numTasks != 0 || kernel.join.sharedBytes != 0;
  if (!kernel.symbol.empty() && hasJoin) {
    return malformed("custom kernel {} has a join", kernel.name);
  }
  size_t numBodies = 0;
  switch (control.kind) {
  case Control::Kind::None: break;
  case Control::Kind::If: numBodies = 2; break;
  case Control::Kind::Loop: numBodies = 1; break;
  default: return malformed("kernel {} has control {}", kernel.name, int(control.kind));
  }
  if (control.bodies.size() != numBodies) {
    return malformed("kernel {} has {} bodies", kernel.name, control.bodies.size());
  }
  for (uint32_t body : control.bodies) {
    if (body >= plan.bodies.size()) {
      return malformed("kernel {} runs body {} of {}", kernel.name, body, plan.bodies.size());
    }
    ++uses[body];
  }
  if (control.kind == Control::Kind::None) {
    return Status::ok();
  }
  if (kernel.entry || hasJoin || !kernel.dims.empty() || !kernel.symbol.empty()) {
    return malformed("kernel {} has bodies and code", kernel.name);
  }
  return control.kind == Control::Kind::If ? checkIf(kernel) : checkLoop(kernel);
}

Status Checker::checkIf(const Kernel &kernel) const {
  const Plan &first = plan.bodies[kernel.control.bodies[0]];
  const Plan &second = plan.bodies[kernel.control.bodies[1]];
  // A capture may be state of one branch only.
  auto sameType = [](const NamedType &a, const NamedType &b) {
    return mayBeEqual(a.type, b.type);
  };
  bool sameInputs = std::equal(first.inputs.begin(), first.inputs.end(), second.inputs.begin(),
                               second.inputs.end(), sameType);
  return sameInputs && mayBeEqual(first.outputs, second.outputs)
             ? Status::ok()
             : malformed("branches of kernel {} have other types", kernel.name);
}

Status Checker::checkLoop(const Kernel &kernel) const {
  const Control &control = kernel.control;
  const Plan &body = plan.bodies[control.bodies[0]];
  bool isCount = (control.limit >= 0 && control.limit <= mostPlanTasks) ||
                 (dim::isSymbolic(control.limit) && dim::isValid(control.limit));
  if (!isCount) {
    return malformed("kernel {} has {} iterations", kernel.name, control.limit);
  }
  uint64_t carried = control.numCarried;
  bool counts = carried < body.inputs.size() && carried < body.outputs.size();
  if (!counts || body.inputs[0].type != TensorType{DType::I64, {}} ||
      body.outputs[0].type != TensorType{DType::Bool, {}}) {
    return malformed("the body of kernel {} is not that of a loop", kernel.name);
  }
  std::span inputs(body.inputs.data() + 1, carried);
  auto isWritten = [](const NamedType &input) {
    return input.written;
  };
  if (!mayBeEqual(inputs, std::span(body.outputs.data() + 1, carried)) || body.inputs[0].written ||
      std::any_of(inputs.begin(), inputs.end(), isWritten)) {
    return malformed("carried values of kernel {} have other types", kernel.name);
  }
  return Status::ok();
}

Status Checker::checkAtLoad(const Launch &launch) const {
  const Kernel &kernel = plan.kernels[launch.kernel];
  auto isOpen = [&](uint32_t body) {
    return plan.bodies[body].isSymbolic();
  };
  return kernel.isSymbolic() ||
                 std::any_of(kernel.control.bodies.begin(), kernel.control.bodies.end(), isOpen)
             ? malformed("a size of kernel {} is used before it is known", kernel.name)
             : Status::ok();
}

std::vector<WantedPort> Checker::portsOf(const Control &control) const {
  const Plan &body = plan.bodies[control.bodies[0]];
  bool isLoop = control.kind == Control::Kind::Loop;
  std::vector<WantedPort> ports = {{1, 1, false}};
  for (size_t i = isLoop ? 1 : 0; i < body.inputs.size(); ++i) {
    bool isWritten = std::any_of(control.bodies.begin(), control.bodies.end(), [&](uint32_t each) {
      return plan.bodies[each].inputs[i].written;
    });
    ports.push_back({bytesOf(body.inputs[i]), 1, isWritten});
  }
  for (size_t i = isLoop ? 1 : 0; i < body.outputs.size(); ++i) {
    bool isCollected = isLoop && i > control.numCarried;
    ports.push_back({bytesOf(body.outputs[i]), isCollected ? control.limit : 1, true});
  }
  return ports;
}

bool Checker::mayWrite(const BufferRef &port, bool atLoad) const {
  switch (port.space) {
  case Space::Input: return plan.inputs[port.index].written;
  case Space::Output:
  case Space::Arena: return true;
  case Space::Prepared: return atLoad;
  case Space::Constant: return false;
  }
  return false;
}

Status Checker::checkLaunch(const Launch &launch, bool atLoad) const {
  const Kernel &kernel = plan.kernels[launch.kernel];
  if (kernel.control.kind == Control::Kind::None) {
    return Status::ok();
  }
  std::vector<WantedPort> wanted = portsOf(kernel.control);
  if (launch.ports.size() != wanted.size()) {
    return malformed("a launch of kernel {} has {} ports of {}", kernel.name, launch.ports.size(),
                     wanted.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    bool isOpen = dim::isSymbolic(wanted[i].rows) || dim::isSymbolic(wanted[i].bytes);
    int64_t bytes = isOpen ? wanted[i].bytes : dim::mul(wanted[i].rows, wanted[i].bytes);
    if (!isOpen && !mayBeEqual(static_cast<int64_t>(launch.ports[i].bytes), bytes)) {
      return malformed("port {} of kernel {} has {} bytes of {}", i, kernel.name,
                       launch.ports[i].bytes, bytes);
    }
    if (wanted[i].isWritten && !mayWrite(launch.ports[i], atLoad)) {
      return malformed("kernel {} writes port {}, which is only read", kernel.name, i);
    }
  }
  return Status::ok();
}

static Status check(const Plan &plan, int depth) {
  if (depth > mostPlanDepth) {
    return malformed("bodies that are nested over {} deep", mostPlanDepth);
  }
  ZYXC_RETURN_IF_ERROR(Checker(plan).run());
  for (const Plan &body : plan.bodies) {
    ZYXC_RETURN_IF_ERROR(check(body, depth + 1));
  }
  return Status::ok();
}

Status checkControl(const Plan &plan) {
  size_t count = wholePlan(plan).size() - 1;
  return count > mostPlanBodies ? malformed("{} bodies of {}", count, mostPlanBodies)
                                : check(plan, 0);
}

} // namespace zyxc::rt
