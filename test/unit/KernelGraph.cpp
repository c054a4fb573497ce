#include "test/unit/KernelGraph.h"
#include "compiler/interp/Interp.h"
#include "compiler/kernelize/OrderedPrograms.h"
#include "compiler/plan/explain/Explain.h"
#include "dialects/zyx/semantics/BindSizes.h"
#include "runtime/plan/BindPlan.h"
#include "test/unit/ProgramInterpreter.h"
#include <catch2/catch.hpp>
#include <cstring>

namespace zyxc {

using graph::ClassId;

ClassId KernelGraph::leaf(const std::string &name, TensorType type) {
  ClassId cls = graph.add(
      OpKind::Leaf, {},
      {{"name", name}, {"dtype", type.dtype}, {"shape", type.shape}, {"id", numLeaves++}});
  graph.inputs.push_back({name, cls});
  return cls;
}

ClassId KernelGraph::constant(Tensor value) {
  return graph.add(OpKind::Constant, {}, {{"value", std::move(value)}});
}

ClassId KernelGraph::weights(const TensorType &type) {
  return constant(randomTensor(type, random));
}

ClassId KernelGraph::op(OpKind kind, const std::vector<ClassId> &operands, const Attrs &attrs) {
  return graph.addWithDecomposition(kind, operands, attrs);
}

ClassId KernelGraph::conv(ClassId x, int64_t channels, int64_t kernel, int64_t stride,
                          int64_t groups) {
  int64_t reach = kernel / 2;
  ClassId w = weights({DType::F32, {channels, shape(x)[1] / groups, kernel, kernel}});
  return op(OpKind::Conv, {x, w},
            {{"strides", Shape{stride, stride}},
             {"low", Shape{reach, reach}},
             {"high", Shape{reach, reach}},
             {"dilations", Shape{1, 1}},
             {"groups", groups}});
}

ClassId KernelGraph::batchNorm(ClassId x) {
  TensorType vector{DType::F32, {shape(x)[1]}};
  ClassId scale = weights(vector);
  ClassId bias = weights(vector);
  ClassId mean = weights(vector);
  Tensor variance = randomTensor(vector, random);
  for (int64_t i = 0; i < variance.numElements(); ++i) {
    variance.setDouble(i, std::abs(variance.asDouble(i)) + 1);
  }
  return op(OpKind::BatchNorm, {x, scale, bias, mean, constant(variance)}, {{"epsilon", 1e-5}});
}

ClassId KernelGraph::expand(ClassId x, Shape shape) {
  return op(OpKind::Expand, {x}, {{"shape", std::move(shape)}});
}

ClassId KernelGraph::reshape(ClassId x, Shape shape) {
  return op(OpKind::Reshape, {x}, {{"shape", std::move(shape)}});
}

ClassId KernelGraph::relu(ClassId x) {
  ClassId zero = constant(Tensor::scalar(graph.type(x).dtype, 0));
  zero = expand(reshape(zero, Shape(shape(x).size(), 1)), shape(x));
  return op(OpKind::Max, {x, zero});
}

ClassId KernelGraph::concat(const std::vector<ClassId> &operands, int64_t axis) {
  return op(OpKind::Concat, operands, {{"axis", axis}});
}

void KernelGraph::output(const std::string &name, ClassId cls) {
  graph.outputs.push_back({name, cls});
}

void KernelGraph::finish() {
  REQUIRE(graph.rebuild().isOk());
}

Tensor randomTensor(const TensorType &type, std::mt19937 &random) {
  Tensor tensor = Tensor::zeros(type);
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    int64_t value = std::uniform_int_distribution<int64_t>(-4, 4)(random);
    if (type.dtype == DType::Bool) {
      tensor.setInt(i, value > 0);
    } else if (isFloat(type.dtype)) {
      tensor.setDouble(i, static_cast<double>(value) / 4);
    } else {
      tensor.setInt(i, value);
    }
  }
  return tensor;
}

static Tensor filled(const TensorType &type, const Tensor &splat) {
  Tensor tensor = Tensor::allocate(type);
  size_t bytes = byteSize(type.dtype);
  for (int64_t i = 0; i < type.numElements(); ++i) {
    std::memcpy(tensor.mutableData() + i * bytes, splat.data(), bytes);
  }
  return tensor;
}

static Tensor sizeTensor(const std::string &text, const dim::Bindings &bindings) {
  Expected<int64_t> size = dim::parse(text);
  REQUIRE(size);
  Expected<int64_t> value = dim::evaluate(*size, bindings);
  REQUIRE(value);
  return Tensor::scalarInt(DType::I64, *value);
}

static std::optional<Tensor> valueOf(const graph::TensorGraph &graph, ClassId cls,
                                     const std::map<ClassId, Tensor> &values,
                                     const dim::Bindings &bindings) {
  if (const Tensor *constant = graph.constant(cls)) {
    return *constant;
  }
  if (const Tensor *splat = graph.splat(cls)) {
    return filled(bindSizes(graph.type(cls), bindings), *splat);
  }
  for (graph::NodeId node : graph.nodes(cls)) {
    if (graph.kind(node) == OpKind::Variable) {
      return sizeTensor(graph.attrs(node).getString("name"), bindings);
    }
    std::vector<Tensor> operands;
    for (ClassId operand : graph.operands(node)) {
      if (auto value = values.find(operand); value != values.end()) {
        operands.push_back(value->second);
      }
    }
    if (operands.size() == graph.operands(node).size()) {
      Attrs attrs = bindSizes(graph.attrs(node), bindings);
      Expected<Tensor> value = interp::evaluate(graph.kind(node), attrs, operands);
      REQUIRE(value);
      return *value;
    }
  }
  return std::nullopt;
}

std::map<ClassId, Tensor> classValues(const graph::TensorGraph &graph, std::mt19937 &random,
                                      const dim::Bindings &bindings) {
  auto randomLeaf = [&](ClassId cls) {
    return randomTensor(bindSizes(graph.type(cls), bindings), random);
  };
  std::map<ClassId, Tensor> values;
  for (bool changed = true; changed;) {
    changed = false;
    for (ClassId cls : graph.reachableClasses()) {
      if (values.contains(cls)) {
        continue;
      }
      std::optional<Tensor> value =
          graph.isLeaf(cls) ? randomLeaf(cls) : valueOf(graph, cls, values, bindings);
      if (value) {
        values.emplace(cls, *value);
        changed = true;
      }
    }
  }
  for (const graph::Endpoint &input : graph.inputs) {
    ClassId cls = graph.find(input.cls);
    if (!values.contains(cls)) {
      values.emplace(cls, randomLeaf(cls));
    }
  }
  return values;
}

/// The programs that compute a class alone or with others: of its cuts, and of ordered ops.
static std::vector<kernelize::BuiltProgram>
programsOf(const graph::TensorGraph &graph, const kernelize::CutTable &cuts, ClassId cls) {
  std::vector<kernelize::BuiltProgram> programs;
  for (const kernelize::Cut &cut : cuts.cutsOf(cls)) {
    if (auto built = kernelize::buildProgram(graph, cls, cut, {})) {
      programs.push_back(std::move(*built));
    }
  }
  for (graph::NodeId node : graph.nodes(cls)) {
    if (isScan(graph.kind(node))) {
      programs.push_back(kernelize::buildOrderedProgram(graph, node));
    }
  }
  return programs;
}

int checkAllCuts(KernelGraph &kernelGraph, std::span<const dim::Bindings> bindings) {
  const graph::TensorGraph &graph = kernelGraph.graph;
  kernelize::CutTable cuts(graph, {});
  int checked = 0;
  for (const dim::Bindings &values : bindings) {
    std::map<ClassId, Tensor> tensors = classValues(graph, kernelGraph.random, values);
    for (ClassId cls : cuts.classes()) {
      for (const kernelize::BuiltProgram &built : programsOf(graph, cuts, cls)) {
        std::vector<Tensor> inputs;
        for (ClassId input : built.inputs) {
          REQUIRE(input != cls);
          inputs.push_back(tensors.at(input));
        }
        INFO(built.program.toText());
        auto outputs = kernelize::evaluate(built.program, inputs, values);
        INFO((outputs ? "" : outputs.error().message()));
        REQUIRE(outputs);
        const Tensor &expected = tensors.at(cls);
        REQUIRE(kernelize::close((*outputs)[0].withShape(expected.shape()), expected, 1e-4));
        ++checked;
      }
    }
  }
  return checked;
}

int checkAllCuts(KernelGraph &kernelGraph) {
  const dim::Bindings none;
  return checkAllCuts(kernelGraph, std::span(&none, 1));
}

static plan::Choice chooseFor(const graph::TensorGraph &graph,
                              const kernelize::CandidateTable &table, bool byParts) {
  if (byParts) {
    auto sets = plan::findBorders(graph, table, {.leastCandidates = 0});
    auto choice = plan::chooseByParts(graph, table, sets);
    INFO((choice ? "" : choice.error().message()));
    REQUIRE(choice);
    REQUIRE(*choice);
    return **choice;
  }
  auto choice = plan::choose(graph, table);
  INFO((choice ? "" : choice.error().message()));
  REQUIRE(choice);
  return *choice;
}

Planned makePlan(const graph::TensorGraph &graph, bool byParts) {
  Planned planned;
  auto table = kernelize::buildCandidates(graph);
  INFO((table ? "" : table.error().message()));
  REQUIRE(table);
  planned.table = std::move(*table);
  planned.choice = chooseFor(graph, planned.table, byParts);
  auto built = plan::buildPlan(graph, planned.table, planned.choice);
  INFO((built ? "" : built.error().message()));
  REQUIRE(built);
  planned.built = std::move(*built);
  explain::PartSteps steps{graph, planned.table, planned.choice, planned.built};
  planned.why = explain::toText({{explain::explainPart(steps)}, {}});
  return planned;
}

namespace {

/// The memory that a plan runs in.
class Memory {
public:
  Memory(const rt::Plan &plan, const std::vector<Tensor> &inputs, const dim::Bindings &bindings)
      : plan(plan), inputs(inputs), bindings(bindings) {
    arena.resize(plan.arenaBytes, std::byte{0xcd});
    prepared.resize(plan.preparedBytes, std::byte{0xcd});
    for (const rt::NamedType &output : plan.outputs) {
      outputs.push_back(Tensor::zeros(output.type));
    }
  }

  std::byte *at(const rt::BufferRef &buffer) {
    std::byte *base = nullptr;
    uint64_t size = 0;
    auto use = [&](const Tensor &tensor) {
      base = tensor.mutableData();
      size = tensor.byteSize();
    };
    switch (buffer.space) {
    case rt::Space::Input: use(inputs[buffer.index]); break;
    case rt::Space::Output: use(outputs[buffer.index]); break;
    case rt::Space::Constant: use(plan.constants[buffer.index]); break;
    case rt::Space::Arena: base = arena.data(), size = arena.size(); break;
    case rt::Space::Prepared: base = prepared.data(), size = prepared.size(); break;
    }
    REQUIRE(buffer.offset + buffer.bytes <= size);
    return base + buffer.offset;
  }

  void run(const kernelize::Program &program, const rt::Launch &launch) {
    REQUIRE(launch.ports.size() == program.ports.size());
    std::vector<Tensor> operands;
    for (size_t i = 0; i < program.numInputs(); ++i) {
      Tensor operand = Tensor::allocate(bindSizes(program.ports[i].type, bindings));
      REQUIRE(operand.byteSize() == launch.ports[i].bytes);
      std::memcpy(operand.mutableData(), at(launch.ports[i]), operand.byteSize());
      operands.push_back(operand);
    }
    auto results = kernelize::evaluate(program, operands, bindings);
    INFO((results ? "" : results.error().message()));
    REQUIRE(results);
    for (size_t i = 0; i < results->size(); ++i) {
      const rt::BufferRef &buffer = launch.ports[operands.size() + i];
      REQUIRE(buffer.bytes == (*results)[i].byteSize());
      std::memcpy(at(buffer), (*results)[i].data(), buffer.bytes);
    }
  }

  std::vector<Tensor> outputs;

private:
  const rt::Plan &plan;
  const std::vector<Tensor> &inputs;
  const dim::Bindings &bindings;
  std::vector<std::byte> arena;
  std::vector<std::byte> prepared;
};

} // namespace

std::vector<Tensor> runPlan(const plan::BuiltPlan &built, const std::vector<Tensor> &inputs,
                            const dim::Bindings &bindings) {
  auto plan = rt::bind(built.plan, bindings);
  INFO((plan ? "" : plan.error().message()));
  REQUIRE(plan);
  Memory memory(*plan, inputs, bindings);
  for (const std::vector<rt::Launch> *list : {&plan->prepare, &plan->steps}) {
    for (const rt::Launch &launch : *list) {
      memory.run(built.programs[launch.kernel], launch);
    }
  }
  return memory.outputs;
}

static void checkOutputs(KernelGraph &kernelGraph, const Planned &planned,
                         std::span<const dim::Bindings> bindings) {
  const graph::TensorGraph &graph = kernelGraph.graph;
  CHECK(planned.choice.proved);
  INFO(planned.why);
  INFO(planned.built.plan.toText());
  for (const dim::Bindings &values : bindings) {
    std::map<ClassId, Tensor> tensors = classValues(graph, kernelGraph.random, values);
    std::vector<Tensor> inputs;
    inputs.reserve(graph.inputs.size());
    for (const graph::Endpoint &input : graph.inputs) {
      inputs.push_back(tensors.at(graph.find(input.cls)));
    }
    std::vector<Tensor> outputs = runPlan(planned.built, inputs, values);
    for (size_t i = 0; i < outputs.size(); ++i) {
      CHECK(kernelize::close(outputs[i], tensors.at(graph.find(graph.outputs[i].cls)), 1e-4));
    }
  }
}

Planned checkPlan(KernelGraph &kernelGraph, std::span<const dim::Bindings> bindings) {
  Planned planned = makePlan(kernelGraph.graph);
  checkOutputs(kernelGraph, planned, bindings);
  return planned;
}

Planned checkPlanByParts(KernelGraph &kernelGraph) {
  const dim::Bindings none;
  Planned planned = makePlan(kernelGraph.graph, /*byParts=*/true);
  checkOutputs(kernelGraph, planned, std::span(&none, 1));
  return planned;
}

Planned checkPlan(KernelGraph &kernelGraph) {
  const dim::Bindings none;
  return checkPlan(kernelGraph, std::span(&none, 1));
}

} // namespace zyxc
