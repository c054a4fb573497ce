#include "test/fuzz/graphs/oracle/Oracle.h"
#include "compiler/interp/Interp.h"
#include "test/fuzz/graphs/oracle/Exactness.h"
#include "test/fuzz/graphs/oracle/Rounding.h"
#include <algorithm>
#include <cmath>

namespace zyxc::fuzz {

static std::vector<Tensor> operandsOf(const Node &node, const std::vector<Tensor> &values) {
  std::vector<Tensor> operands;
  operands.reserve(node.operands.size());
  for (uint32_t operand : node.operands) {
    operands.push_back(values[operand]);
  }
  return operands;
}

Expected<std::vector<Tensor>> interpret(const Graph &graph) {
  std::vector<Tensor> values;
  for (const Node &node : graph.nodes) {
    if (node.kind == OpKind::Leaf) {
      values.push_back(node.value);
      continue;
    }
    ZYXC_ASSIGN(Tensor value, interp::evaluate(node.kind, node.attrs, operandsOf(node, values)));
    values.push_back(std::move(value));
  }
  return values;
}

/// Values of all nodes as another target may give them.
static Expected<std::vector<Tensor>> disturbedValues(const Graph &graph,
                                                     const std::vector<Tensor> &values,
                                                     const std::vector<bool> &exact,
                                                     Choices &choices) {
  std::vector<Tensor> others;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    if (node.kind == OpKind::Leaf) {
      others.push_back(node.value);
      continue;
    }
    ZYXC_ASSIGN(Tensor value, evaluateWith(choices, node, operandsOf(node, others),
                                           operandsOf(node, values), exact[i]));
    others.push_back(std::move(value));
  }
  return others;
}

static std::vector<bool> findExact(const Graph &graph, const std::vector<Tensor> &values) {
  std::vector<bool> exact;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    bool isExact = std::ranges::all_of(node.operands, [&](uint32_t id) { return exact[id]; });
    exact.push_back(isExact && roundsNothing(node, operandsOf(node, values), values[i]));
  }
  return exact;
}

/// Widens the tolerance of each element to what another run gave.
static void widen(Expectation &expectation, const Tensor &other) {
  bool isFloating = isFloat(other.dtype());
  for (int64_t i = 0; i < other.numElements(); ++i) {
    double &tolerance = expectation.tolerance[i];
    double a = expectation.value.asDouble(i);
    double b = other.asDouble(i);
    bool same = isFloating ? a == b || (std::isnan(a) && std::isnan(b))
                           : expectation.value.asInt(i) == other.asInt(i);
    if (same || tolerance == Expectation::notCompared) {
      continue;
    }
    double distance = std::fabs(a - b);
    tolerance = isFloating && std::isfinite(distance) ? std::max(tolerance, distance)
                                                      : Expectation::notCompared;
  }
}

Expected<std::vector<Expectation>> expectations(const Graph &graph, int runs) {
  ZYXC_ASSIGN(std::vector<Tensor> values, interpret(graph));
  std::vector<bool> exact = findExact(graph, values);
  std::vector<Expectation> list;
  for (uint32_t output : graph.outputs) {
    std::vector<double> none(values[output].numElements(), 0);
    list.push_back({values[output], std::move(none)});
  }
  Choices choices(0x5eed);
  for (int run = 0; run < runs; ++run) {
    choices.startRun(run);
    ZYXC_ASSIGN(std::vector<Tensor> others, disturbedValues(graph, values, exact, choices));
    for (size_t i = 0; i < list.size(); ++i) {
      widen(list[i], others[graph.outputs[i]]);
    }
  }
  constexpr double margin = 2; // over the largest of a few random distances
  for (size_t i = 0; i < list.size(); ++i) {
    if (exact[graph.outputs[i]]) {
      continue;
    }
    DType dtype = list[i].value.dtype();
    for (size_t k = 0; k < list[i].tolerance.size(); ++k) {
      double &tolerance = list[i].tolerance[k];
      double value = list[i].value.asDouble(static_cast<int64_t>(k));
      if (isFloat(dtype) && tolerance != Expectation::notCompared && std::isfinite(value)) {
        tolerance = margin * (tolerance + unitInTheLastPlace(dtype, value));
      }
    }
  }
  return list;
}

std::string Expectation::compare(const Tensor &actual) const {
  if (actual.type() != value.type()) {
    return fmt::format("type {}, expected {}", toString(actual.type()), toString(value.type()));
  }
  int64_t count = 0;
  std::string first;
  for (int64_t i = 0; i < value.numElements(); ++i) {
    double a = actual.asDouble(i);
    double e = value.asDouble(i);
    bool isInt = isInteger(value.dtype());
    bool equal =
        isInt ? actual.asInt(i) == value.asInt(i)
              : a == e || (std::isnan(a) && std::isnan(e)) || std::fabs(a - e) <= tolerance[i];
    if (equal || tolerance[i] == notCompared) {
      continue;
    }
    if (count++ == 0) {
      first = isInt ? fmt::format("[{}] is {}, expected {}", i, actual.asInt(i), value.asInt(i))
                    : fmt::format("[{}] is {:.9g}, expected {:.9g} within {:.3g}", i, a, e,
                                  tolerance[i]);
    }
  }
  return count == 0
             ? ""
             : fmt::format("{} of {} elements differ: {}", count, value.numElements(), first);
}

} // namespace zyxc::fuzz
