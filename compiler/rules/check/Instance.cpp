#include "compiler/rules/check/Instance.h"
#include "compiler/graph/Evaluator.h"
#include "compiler/rules/Runner.h"
#include "compiler/rules/check/Agreement.h"
#include "compiler/rules/check/FieldEvaluator.h"
#include "compiler/rules/check/SampleTerms.h"
#include "compiler/rules/check/TermText.h"
#include <fmt/format.h>

namespace zyxc::rules {

namespace {

bool isDefinedAt(const Tensor &a, const Tensor &b, int64_t i) {
  return a.asInt(i) != FieldEvaluator::undefined && b.asInt(i) != FieldEvaluator::undefined;
}

/// True if both sides define an element.
bool isDefined(const Tensor &a, const Tensor &b) {
  for (int64_t i = 0; i < a.numElements(); ++i) {
    if (isDefinedAt(a, b, i)) {
      return true;
    }
  }
  return false;
}

/// The first element that both sides define and that differs, or -1.
int64_t firstFieldDifference(const Tensor &a, const Tensor &b) {
  for (int64_t i = 0; i < a.numElements(); ++i) {
    if (isDefinedAt(a, b, i) && a.asInt(i) != b.asInt(i)) {
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
  /// Unsupported if the rule builds more elements than can be compared in reasonable time.
  Status checkSizes() const;
  /// Compares both sides of each application, without uniting them.
  Status compareOnce(std::span<const Application> applications);
  /// What the level allows, with the scale of all that an evaluator computes.
  Expected<Agreement> agreement(graph::Evaluator &evaluator) const;
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
  ZYXC_RETURN_IF_ERROR(checkSizes());
  for (const graph::Endpoint &input : graph.inputs) {
    const TensorType &type = graph.type(input.cls);
    inputs.push_back(numbers.isOverField() ? numbers.fieldTensor(type)
                                           : numbers.tensor(type, hasSpecials()));
  }
  if (numbers.isOverField()) {
    ZYXC_RETURN_IF_ERROR(compareOverField(applications));
    return std::move(result);
  }
  ZYXC_RETURN_IF_ERROR(compareOnce(applications));
  if (!result.counterexample) {
    ZYXC_RETURN_IF_ERROR(compareSaturated());
  }
  return std::move(result);
}

std::vector<Application> Tester::applyOnce() {
  constexpr size_t mostMatches = 20;
  std::vector<Match> matches;
  matchRule(graph, rule, [&](const Match &match) {
    matches.push_back(match);
    return matches.size() < mostMatches;
  });
  graph.setOrigin("");
  std::vector<Application> applications;
  for (const Match &match : matches) {
    std::optional<std::vector<ClassId>> built = buildResults(graph, rule, match);
    for (size_t i = 0; built && i < rule.conclusions.size(); ++i) {
      ClassId root = graph.find(match.roots[rule.conclusions[i].premise]);
      if (graph.find((*built)[i]) != root) {
        applications.push_back({root, (*built)[i]});
      }
    }
  }
  return applications;
}

Status Tester::checkSizes() const {
  constexpr int64_t mostElements = 1 << 20; // instances have some hundreds
  for (ClassId cls = 0; cls < graph.engine().numNodes(); ++cls) {
    int64_t elements = graph.type(cls).numElements();
    if (elements > mostElements) {
      return makeError(ErrorCode::Unsupported,
                       "{}:{}:{}: rule {} builds a tensor of {} elements: at most {} are checked",
                       rule.file, rule.at.line, rule.at.column, rule.name, elements, mostElements);
    }
  }
  return Status::ok();
}

Expected<Agreement> Tester::agreement(graph::Evaluator &evaluator) const {
  Agreement allowed = {rule.level};
  for (ClassId cls = 0; !hasSpecials() && cls < graph.engine().numNodes(); ++cls) {
    if (graph.find(cls) == cls) {
      ZYXC_ASSIGN(Tensor value, evaluator.evaluate(cls));
      allowed.scale = std::max(allowed.scale, largestFinite(value));
    }
  }
  return allowed;
}

Status Tester::compareOnce(std::span<const Application> applications) {
  graph::Choice choice = graph::smallestChoice(graph);
  graph::Evaluator evaluator(graph, choice);
  for (size_t i = 0; i < inputs.size(); ++i) {
    evaluator.setLeaf(graph.inputs[i].cls, inputs[i]);
  }
  ZYXC_ASSIGN(Agreement allowed, agreement(evaluator));
  for (const Application &application : applications) {
    ZYXC_ASSIGN(Tensor left, evaluator.evaluate(application.root));
    ZYXC_ASSIGN(Tensor right, evaluator.evaluate(application.built));
    result.applied = result.applied || areComparable(left, right, rule.level);
    int64_t element = firstDifference(left, right, allowed);
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
    result.applied = result.applied || isDefined(*left, *right);
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
  graph::Choice choice = graph::smallestChoice(graph);
  graph::Evaluator evaluator(graph, choice);
  for (size_t i = 0; i < inputs.size(); ++i) {
    evaluator.setLeaf(graph.inputs[i].cls, inputs[i]);
  }
  ZYXC_ASSIGN(Agreement allowed, agreement(evaluator));
  for (ClassId cls = 0; cls < graph.engine().numNodes(); ++cls) {
    std::vector<NodeId> nodes = graph.find(cls) == cls ? graph.nodes(cls) : std::vector<NodeId>();
    std::optional<Tensor> first;
    for (NodeId node : nodes) {
      ZYXC_ASSIGN(Tensor value, evaluator.evaluateNode(node));
      if (!first) {
        first = value;
      }
      int64_t element = firstDifference(*first, value, allowed);
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
