#include "runtime/plan/BindPlan.h"
#include <algorithm>
#include <fmt/format.h>

namespace zyxc::rt {

Status missingSizes(const std::set<std::string> &names) {
  if (names.empty()) {
    return Status::ok();
  }
  return makeError(ErrorCode::Usage, "no input says what {} {}: give --dim {}=SIZE",
                   fmt::join(names, ", "), names.size() == 1 ? "is" : "are",
                   fmt::join(names, "=SIZE,"));
}

static void addVariables(std::set<std::string> &names, std::span<const int64_t> sizes) {
  for (int64_t size : sizes) {
    names.merge(dim::variables(size));
  }
}

/// All sizes of a plan, without those of its bodies.
static void addSizes(std::set<int64_t> &sizes, const Plan &plan) {
  auto add = [&](uint64_t size) {
    sizes.insert(static_cast<int64_t>(size));
  };
  for (const std::vector<NamedType> *list : {&plan.inputs, &plan.outputs}) {
    for (const NamedType &port : *list) {
      sizes.insert(port.type.shape.begin(), port.type.shape.end());
    }
  }
  for (const Kernel &kernel : plan.kernels) {
    sizes.insert({kernel.numTasks, kernel.join.numTasks, kernel.control.limit});
    add(kernel.join.sharedBytes);
    sizes.insert(kernel.dims.begin(), kernel.dims.end());
  }
  for (const Launch &launch : plan.steps) {
    for (const BufferRef &buffer : launch.ports) {
      add(buffer.offset);
      add(buffer.bytes);
    }
  }
  for (const Lifetime &lifetime : plan.lifetimes) {
    add(lifetime.bytes);
  }
  for (const SizeGuard &guard : plan.guards) {
    sizes.insert(guard.size);
  }
}

std::set<std::string> sizeVariables(const Plan &plan) {
  std::set<int64_t> sizes;
  for (const Plan *part : wholePlan(plan)) {
    addSizes(sizes, *part);
  }
  std::set<std::string> names;
  addVariables(names, std::vector<int64_t>(sizes.begin(), sizes.end()));
  return names;
}

namespace {

/// An axis of an input that is there.
struct Axis {
  const NamedType *input;
  size_t number;
  int64_t wanted; ///< a size
  int64_t actual;
};

/// Finds values axis by axis and remembers where each comes from.
class Solver {
public:
  explicit Solver(const dim::Bindings &given) : values(given) {
    for (const auto &[name, value] : given) {
      origins[name] = "--dim";
    }
  }

  Status addInput(const NamedType &input, const Shape &shape) {
    if (shape.size() != input.type.shape.size()) {
      return makeError(ErrorCode::Usage, "input '{}' has {} axes, but {} has {}", input.name,
                       shape.size(), toString(input.type), input.type.shape.size());
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      axes.push_back({&input, i, input.type.shape[i], shape[i]});
    }
    return Status::ok();
  }

  Expected<dim::Bindings> run() {
    // Axes that are a variable come first: they are what errors compare others with.
    for (const Axis &axis : axes) {
      if (isVariable(axis.wanted)) {
        solve(axis);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Axis &axis : axes) {
        changed |= solve(axis);
      }
    }
    for (const Axis &axis : axes) {
      ZYXC_RETURN_IF_ERROR(check(axis));
    }
    return std::move(values);
  }

private:
  static bool isVariable(int64_t size) {
    std::set<std::string> names = dim::variables(size);
    return names.size() == 1 && size == dim::variable(*names.begin());
  }

  /// coefficient * name + constant.
  struct Linear {
    std::string name;
    int64_t coefficient;
    int64_t constant;
  };

  static std::optional<Linear> linear(int64_t size) {
    std::vector<dim::Term> terms = dim::terms(size);
    Linear result{"", 0, 0};
    if (!terms.empty() && terms.back().factors.empty()) {
      result.constant = terms.back().coefficient;
      terms.pop_back();
    }
    if (terms.size() != 1 || terms[0].factors.size() != 1 ||
        terms[0].factors[0].kind != dim::Factor::Kind::Variable) {
      return std::nullopt;
    }
    result.name = terms[0].factors[0].name;
    result.coefficient = terms[0].coefficient;
    return result;
  }

  /// Where one variable of an axis has no value and the axis is linear in it: its value. True if
  /// one was found.
  bool solve(const Axis &axis) {
    std::optional<Linear> wanted = linear(dim::substitute(axis.wanted, values));
    if (!wanted) {
      return false;
    }
    int64_t rest = axis.actual - wanted->constant;
    if (rest % wanted->coefficient != 0 || rest / wanted->coefficient < 0) {
      return false;
    }
    values[wanted->name] = rest / wanted->coefficient;
    origins[wanted->name] = fmt::format("axis {} of input '{}'", axis.number, axis.input->name);
    return true;
  }

  Status check(const Axis &axis) const {
    int64_t wanted = dim::substitute(axis.wanted, values);
    if (wanted == axis.actual) {
      return Status::ok();
    }
    std::string needed = fmt::format("input '{}' has size {} at axis {}, but ", axis.input->name,
                                     axis.actual, axis.number);
    if (dim::isSymbolic(wanted)) { // other variables that are open are told of elsewhere
      std::optional<Linear> open = linear(wanted);
      return open ? makeError(ErrorCode::Usage, "{}no {} makes it {}", needed, open->name,
                              dim::toString(axis.wanted))
                  : Status::ok();
    }
    needed += fmt::format("{} is needed", dim::toString(wanted));
    std::set<std::string> names = dim::variables(axis.wanted);
    if (names.empty()) {
      return makeError(ErrorCode::Usage, "{}", needed);
    }
    if (isVariable(axis.wanted)) {
      const std::string &name = *names.begin();
      return origins.at(name) == "--dim"
                 ? makeError(ErrorCode::Usage, "{}: --dim {}={}", needed, name, wanted)
                 : makeError(ErrorCode::Usage, "{}: {} is {} (both are {})", needed,
                             origins.at(name), wanted, name);
    }
    std::string reasons;
    for (const std::string &name : names) {
      reasons += fmt::format(", {} is {} ({})", name, values.at(name), origins.at(name));
    }
    return makeError(ErrorCode::Usage, "{}: it is {}{}", needed, dim::toString(axis.wanted),
                     reasons);
  }

  std::vector<Axis> axes;
  dim::Bindings values;
  std::map<std::string, std::string> origins; ///< by variable
};

} // namespace

/// Given sizes must be of the plan, and none is negative.
static Status checkGiven(const Plan &plan, const dim::Bindings &given) {
  if (given.empty()) {
    return Status::ok();
  }
  std::set<std::string> names = sizeVariables(plan);
  for (const auto &[name, value] : given) {
    if (!names.contains(name)) {
      return makeError(ErrorCode::Usage, "--dim {}={}: the plan has no size {}: it has {}", name,
                       value, name,
                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    }
    if (value < 0 || value > dim::limit) {
      return makeError(ErrorCode::Usage, "--dim {}={}: a size is at least 0 and at most 2^58", name,
                       value);
    }
  }
  return Status::ok();
}

Expected<dim::Bindings> solveSizes(const Plan &plan, std::span<const std::optional<Shape>> shapes,
                                   const dim::Bindings &given) {
  assert(shapes.size() == plan.inputs.size());
  ZYXC_RETURN_IF_ERROR(checkGiven(plan, given));
  Solver solver(given);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i]) {
      ZYXC_RETURN_IF_ERROR(solver.addInput(plan.inputs[i], *shapes[i]));
    }
  }
  ZYXC_ASSIGN(dim::Bindings values, solver.run());
  std::set<std::string> missing;
  for (const NamedType &input : plan.inputs) {
    addVariables(missing, input.type.shape);
  }
  for (const auto &[name, value] : values) {
    missing.erase(name);
  }
  ZYXC_RETURN_IF_ERROR(missingSizes(missing));
  return values;
}

} // namespace zyxc::rt
