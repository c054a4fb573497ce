#include "compiler/rules/Soundness.h"
#include "compiler/graph/Evaluator.h"
#include "compiler/rules/Runner.h"
#include "compiler/rules/SampleTerms.h"
#include <cmath>

namespace zyxc::rules {

namespace {

double largestFinite(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    double size = std::abs(tensor.asDouble(i));
    largest = std::isfinite(size) ? std::max(largest, size) : largest;
  }
  return largest;
}

bool sameElement(const Tensor &a, const Tensor &b, int64_t i) {
  size_t bytes = byteSize(a.dtype());
  return std::equal(a.data() + i * bytes, a.data() + (i + 1) * bytes, b.data() + i * bytes);
}

/// The first element in which two results differ more than a level allows, or -1.
int64_t firstDifference(const Tensor &a, const Tensor &b, Numerics level) {
  bool exact = level == Numerics::Exact || !isFloat(a.dtype());
  double unit = std::ldexp(1.0, -info(a.dtype()).mantissaBits);
  double scale = std::max({4.0, largestFinite(a), largestFinite(b)});
  for (int64_t i = 0; i < a.numElements(); ++i) {
    double x = a.asDouble(i);
    double y = b.asDouble(i);
    if (sameElement(a, b, i) || (isFloat(a.dtype()) && std::isnan(x) && std::isnan(y))) {
      continue;
    }
    double tolerance = level == Numerics::Approx ? 4 * unit * std::max(std::abs(x), std::abs(y))
                                                 : 64 * unit * scale;
    // Denormals have no more digits than this.
    tolerance += 4 * Tensor::scalar(a.dtype(), 0x1p-1074).asDouble(0);
    bool isClose = std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance;
    if (exact || !isClose) {
      return i;
    }
  }
  return -1;
}

class Checker {
public:
  Checker(const Rule &rule, uint64_t seed) : rule(rule), numbers(seed) {}
  /// True if the rule did something; an error if it did wrong.
  Expected<bool> tryOnce();

private:
  Status compareClasses(const TensorGraph &graph);

  const Rule &rule;
  SampleNumbers numbers;
};

Expected<bool> Checker::tryOnce() {
  TensorGraph graph;
  std::optional<ClassId> root = SampleTerms(graph, rule, numbers).build();
  if (!root) {
    return false;
  }
  RunOptions options;
  options.numerics = rule.level;
  options.budget = {.maxNodes = 1000, .maxMatches = 50, .maxIterations = 3};
  options.verify = true;
  RunReport report = runRules(graph, std::span(&rule, 1), options);
  if (!report.conflict.isOk()) {
    return makeError(ErrorCode::Verification, "rule {}: {}", rule.name, report.conflict.message());
  }
  if (report.rules[0].unions == 0) {
    return false;
  }
  ZYXC_RETURN_IF_ERROR(compareClasses(graph));
  return true;
}

Status Checker::compareClasses(const TensorGraph &graph) {
  graph::Choice choice = graph::smallestChoice(graph);
  graph::Evaluator evaluator(graph, choice);
  bool special = rule.level == Numerics::Exact || rule.level == Numerics::Approx;
  for (const graph::Endpoint &input : graph.inputs) {
    evaluator.setLeaf(input.cls, numbers.tensor(graph.type(input.cls), special));
  }
  for (ClassId cls = 0; cls < graph.engine().numNodes(); ++cls) {
    std::vector<NodeId> nodes = graph.find(cls) == cls ? graph.nodes(cls) : std::vector<NodeId>();
    std::optional<Tensor> first;
    for (NodeId node : nodes) {
      ZYXC_ASSIGN(Tensor value, evaluator.evaluateNode(node));
      if (!first) {
        first = value;
      }
      int64_t at = firstDifference(*first, value, rule.level);
      if (at >= 0) {
        return makeError(ErrorCode::Verification,
                         "rule {}: {} gives {} and {} gives {} at element {} of {}", rule.name,
                         name(graph.kind(nodes[0])), first->asDouble(at), name(graph.kind(node)),
                         value.asDouble(at), at, toString(value.type()));
      }
    }
  }
  return Status::ok();
}

} // namespace

Expected<SoundnessResult> checkRule(const Rule &rule, uint64_t seed, int instances,
                                    int maxAttempts) {
  Checker checker(rule, seed);
  SoundnessResult result;
  while (result.instances < instances && result.attempts < maxAttempts) {
    ++result.attempts;
    ZYXC_ASSIGN(bool applied, checker.tryOnce());
    result.instances += applied;
  }
  return result;
}

} // namespace zyxc::rules
