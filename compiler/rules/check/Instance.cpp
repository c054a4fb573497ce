#include "compiler/rules/check/Instance.h"
#include "compiler/graph/Evaluator.h"
#include "compiler/rules/Runner.h"
#include "compiler/rules/check/FieldEvaluator.h"
#include "compiler/rules/check/SampleTerms.h"
#include "compiler/rules/check/TermText.h"
#include <cmath>
#include <fmt/format.h>

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

/// The first element that both sides define and that differs, or -1.
int64_t firstFieldDifference(const Tensor &a, const Tensor &b) {
  for (int64_t i = 0; i < a.numElements(); ++i) {
    bool defined =
        a.asInt(i) != FieldEvaluator::undefined && b.asInt(i) != FieldEvaluator::undefined;
    if (defined && a.asInt(i) != b.asInt(i)) {
      return i;
    }
  }
  return -1;
}

/// "element [0, 1]"; of rank 0 "the element".
std::string placeOf(int64_t element, const Shape &shape) {
  if (shape.empty()) {
    return "the element";
  }
  std::vector<int64_t> coordinates(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    coordinates[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return fmt::format("element [{}]", fmt::join(coordinates, ", "));
}

/// A match of the rule, and the class that it built.
struct Application {
  ClassId root;
  ClassId built;
};

class Tester {
public:
  Tester(const Rule &rule, SampleNumbers &numbers) : rule(rule), numbers(numbers) {}
  Expected<InstanceResult> run();

private:
  bool hasSpecials() const {
    return rule.level == Numerics::Exact || rule.level == Numerics::Approx;
  }
  std::vector<Application> applyOnce();
  /// Compares both sides of each application, without uniting them.
  Status compareOnce(std::span<const Application> applications);
  Status compareOverField(std::span<const Application> applications);
  /// Lets the rule run to the end, and compares all nodes of each class.
  Status compareSaturated();
  void addCounterexample(const Application &application, const Tensor &left, const Tensor &right,
                         int64_t element);
  Counterexample withInputs() const;

  const Rule &rule;
  SampleNumbers &numbers;
  TensorGraph graph;
  std::vector<Tensor> inputs; ///< by graph.inputs
  InstanceResult result;
};

Expected<InstanceResult> Tester::run() {
  std::optional<ClassId> root = SampleTerms(graph, rule, numbers).build();
  if (!root) {
    return result;
  }
  result.isFloat = isFloat(graph.type(*root).dtype);
  std::vector<Application> applications = applyOnce();
  for (const graph::Endpoint &input : graph.inputs) {
    const TensorType &type = graph.type(input.cls);
    inputs.push_back(numbers.isOverField() ? numbers.fieldTensor(type)
                                           : numbers.tensor(type, hasSpecials()));
  }
  if (numbers.isOverField()) {
    ZYXC_RETURN_IF_ERROR(compareOverField(applications));
    return std::move(result);
  }
  result.applied = !applications.empty();
  ZYXC_RETURN_IF_ERROR(compareOnce(applications));
  if (!result.counterexample) {
    ZYXC_RETURN_IF_ERROR(compareSaturated());
  }
  return std::move(result);
}

std::vector<Application> Tester::applyOnce() {
  constexpr size_t mostMatches = 20;
  std::vector<std::pair<ClassId, Bindings>> matches;
  for (OpKind kind : rootKinds(rule)) {
    for (NodeId node : graph.engine().nodesWithOp(static_cast<uint32_t>(kind))) {
      ClassId root = graph.find(node);
      if (!graph.engine().isLive(node) || graph.isConstant(root)) {
        continue; // the runner leaves constants alone
      }
      matchRule(graph, rule, node, [&](const Bindings &bindings) {
        matches.emplace_back(root, bindings);
        return matches.size() < mostMatches;
      });
    }
  }
  std::vector<Application> applications;
  for (const auto &[root, bindings] : matches) {
    std::optional<ClassId> built = buildResult(graph, rule, bindings, root);
    if (built && graph.find(*built) != graph.find(root)) {
      applications.push_back({root, *built});
    }
  }
  return applications;
}

Status Tester::compareOnce(std::span<const Application> applications) {
  graph::Choice choice = graph::smallestChoice(graph);
  graph::Evaluator evaluator(graph, choice);
  for (size_t i = 0; i < inputs.size(); ++i) {
    evaluator.setLeaf(graph.inputs[i].cls, inputs[i]);
  }
  for (const Application &application : applications) {
    ZYXC_ASSIGN(Tensor left, evaluator.evaluate(application.root));
    ZYXC_ASSIGN(Tensor right, evaluator.evaluate(application.built));
    int64_t element = firstDifference(left, right, rule.level);
    if (element >= 0) {
      addCounterexample(application, left, right, element);
      return Status::ok();
    }
  }
  return Status::ok();
}

Status Tester::compareOverField(std::span<const Application> applications) {
  FieldEvaluator evaluator(graph);
  for (size_t i = 0; i < inputs.size(); ++i) {
    evaluator.setLeaf(graph.inputs[i].cls, inputs[i]);
  }
  evaluator.run();
  for (const Application &application : applications) {
    const Tensor *left = evaluator.value(application.root);
    const Tensor *right = evaluator.value(application.built);
    if (!left || !right) {
      continue;
    }
    result.applied = true;
    int64_t element = firstFieldDifference(*left, *right);
    if (element >= 0) {
      addCounterexample(application, *left, *right, element);
      return Status::ok();
    }
  }
  return Status::ok();
}

Status Tester::compareSaturated() {
  RunOptions options;
  options.numerics = rule.level;
  options.budget = {.maxNodes = 1000, .maxMatches = 50, .maxIterations = 3};
  options.verify = true;
  RunReport report = runRules(graph, std::span(&rule, 1), options);
  if (!report.conflict.isOk()) {
    result.counterexample = withInputs();
    result.counterexample->difference = report.conflict.message();
    return Status::ok();
  }
  result.applied = result.applied || report.rules[0].unions > 0;
  graph::Choice choice = graph::smallestChoice(graph);
  graph::Evaluator evaluator(graph, choice);
  for (size_t i = 0; i < inputs.size(); ++i) {
    evaluator.setLeaf(graph.inputs[i].cls, inputs[i]);
  }
  for (ClassId cls = 0; cls < graph.engine().numNodes(); ++cls) {
    std::vector<NodeId> nodes = graph.find(cls) == cls ? graph.nodes(cls) : std::vector<NodeId>();
    std::optional<Tensor> first;
    for (NodeId node : nodes) {
      ZYXC_ASSIGN(Tensor value, evaluator.evaluateNode(node));
      if (!first) {
        first = value;
      }
      int64_t element = firstDifference(*first, value, rule.level);
      if (element >= 0) {
        result.counterexample = withInputs();
        Counterexample &example = *result.counterexample;
        example.type = toString(value.type());
        example.difference = fmt::format(
            "after some applications {} and {} of one class give {} and {} at {}",
            name(graph.kind(nodes[0])), name(graph.kind(node)), elementText(*first, element),
            elementText(value, element), placeOf(element, value.shape()));
        return Status::ok();
      }
    }
  }
  return Status::ok();
}

Counterexample Tester::withInputs() const {
  Counterexample example;
  for (size_t i = 0; i < inputs.size(); ++i) {
    example.inputs.push_back(fmt::format("{}: {} = {}", graph.inputs[i].name,
                                         toString(graph.type(graph.inputs[i].cls)),
                                         valueText(inputs[i])));
  }
  return example;
}

void Tester::addCounterexample(const Application &application, const Tensor &left,
                               const Tensor &right, int64_t element) {
  graph::Choice choice = graph::smallestChoice(graph);
  Counterexample example = withInputs();
  example.left = termText(graph, choice, application.root);
  example.right = termText(graph, choice, application.built);
  example.type = toString(graph.type(application.root));
  example.leftValue = valueText(left);
  example.rightValue = valueText(right);
  example.difference = fmt::format("{}: {} and {}", placeOf(element, left.shape()),
                                   elementText(left, element), elementText(right, element));
  if (numbers.isOverField()) {
    example.arithmetic = fmt::format("modulo {}", FieldEvaluator::prime);
  }
  result.counterexample = std::move(example);
}

} // namespace

Expected<InstanceResult> testInstance(const Rule &rule, SampleNumbers &numbers) {
  return Tester(rule, numbers).run();
}

} // namespace zyxc::rules
