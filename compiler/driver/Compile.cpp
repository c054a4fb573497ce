#include "compiler/driver/Compile.h"
#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/driver/GpuPrograms.h"
#include "compiler/graph/module/FindLayers.h"
#include "compiler/graph/module/FromModule.h"
#include "compiler/graph/module/ToModule.h"
#include "compiler/kernelize/AlignPlaces.h"
#include "compiler/kernelize/Pricing.h"
#include "compiler/kernelize/emit/EmitZyxk.h"
#include "compiler/plan/PlanBuilder.h"
#include "compiler/plan/explain/Explain.h"
#include "compiler/rules/BuiltinRules.h"
#include "compiler/rules/ExplainRules.h"
#include "compiler/rules/Runner.h"
#include "runtime/exec/Executor.h"
#include "runtime/plan/BindPlan.h"
#include "runtime/support/Version.h"
#include "llvm/Config/llvm-config.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

namespace zyxc {

std::string version() {
  return fmt::format("{} (LLVM {})", versionNumber, LLVM_VERSION_STRING);
}

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

namespace {

/// One graph on its way to a plan: the model's, or that of a region of one of its ops.
struct Part {
  graph::TensorGraph *graph = nullptr; ///< owned by the compilation, or by the graph around it
  std::string name = {};               ///< "" or "b1": before the names of its kernels
  std::string rulesReport = {};
  std::optional<rules::RunReport> saturation = {};       ///< nothing: rules are left out
  std::optional<kernelize::CandidateFinder> finder = {}; ///< of the table
  kernelize::CandidateTable table = {};
  std::vector<plan::Borders> borders = {}; ///< sets of them: between equal parts of the graph
  plan::Choice choice = {};
  plan::BuiltPlan built = {};
  std::vector<size_t> bodies = {}; ///< parts, in the order of Plan::bodies
};

/// What the steps hand on to each other.
struct Compilation {
  const Model &model;
  const CompileOptions &options;
  const ModelTarget &target;
  size_t keptLayers = 0; ///< of layers that are equal; 0: all
  Compiled result = {};
  std::optional<graph::FunctionLayers> layers = {};
  std::optional<graph::TensorGraph> graph = {};
  std::vector<Part> parts = {}; ///< each before those of its regions
  std::vector<rules::Rule> ruleSet = {};
  std::vector<std::string> kernels = {};        ///< of the host: zyxk text, one module a kernel
  std::vector<GpuKernelSource> gpuKernels = {}; ///< of a GPU: one a kernel
  bool layersDiffer = false;                    ///< few of them cannot stand for all
};

} // namespace

/// The texts of all parts, those of regions under a heading.
template <class F> static std::string forEachPart(const Compilation &c, F textOf) {
  std::string text;
  for (const Part &part : c.parts) {
    text += (part.name.empty() ? "" : fmt::format("// region {}\n", part.name)) + textOf(part);
  }
  return text;
}

/// The ops of the model as they were read: Model::load did it, and its time counts.
static Status importModel(Compilation &c) {
  std::set<std::string> open = c.model.variables();
  if (c.target.isGpu() && c.options.numerics == Numerics::Exact) {
    return makeError(ErrorCode::Unsupported,
                     "--target={}: code for GPUs fuses products and sums: use another --numerics "
                     "than exact, or compile for cpu",
                     c.target.name);
  }
  if (c.options.measuredCosts && c.options.measuredCosts->target() != c.target.name) {
    return makeError(ErrorCode::Usage,
                     "--costs: times on {}, not on {}: measure them with zyxc "
                     "cost-model check --save --target={}",
                     c.options.measuredCosts->target(), c.target.name, c.target.name);
  }
  if (c.target.isGpu() && !open.empty()) {
    return makeError(ErrorCode::Unsupported,
                     "--target={}: code for GPUs needs sizes: give them, --dim {}=SIZE, or compile "
                     "for cpu",
                     c.target.name, fmt::join(open, "=SIZE,"));
  }
  return Status::ok();
}
static std::string dumpModel(const Compilation &c) {
  return c.model.text();
}

static void addParts(Compilation &c, graph::TensorGraph &graph) {
  Part part{&graph};
  part.name = c.parts.empty() ? "" : fmt::format("b{}", c.parts.size());
  c.parts.push_back(std::move(part));
  for (graph::Callee &callee : graph.callees) {
    for (auto &body : callee.bodies) {
      addParts(c, *body);
    }
  }
}

static CustomSource::Target customTarget(const ModelTarget &target) {
  switch (target.kind) {
  case rt::PlanKind::Cuda: return CustomSource::Target::Cuda;
  case rt::PlanKind::Vulkan: return CustomSource::Target::Vulkan;
  default: return CustomSource::Target::Host;
  }
}

/// Layers that are equal but for their constants: a few of them stand for all.
static Status findLayers(Compilation &c) {
  // An explanation is about every layer.
  if (c.keptLayers != 0 && !c.options.explain) {
    c.layers = graph::findLayers(c.model.function(), c.keptLayers);
  }
  return Status::ok();
}
static std::string dumpLayers(const Compilation &c) {
  return c.layers ? fmt::format("{} layers of {} ops, of which {} are read\n", c.layers->count,
                                c.layers->period, c.layers->kept)
                  : "no equal layers\n";
}

/// One e-class a value; composites stand beside their decompositions.
static Status buildGraph(Compilation &c) {
  graph::FromModuleOptions options{.useLibraries = c.options.useLibraries,
                                   .customTarget = customTarget(c.target),
                                   .targetName = c.target.name,
                                   .layers = c.layers ? &*c.layers : nullptr};
  ZYXC_ASSIGN(c.graph, graph::importFunction(c.model.function(), options));
  addParts(c, *c.graph);
  return Status::ok();
}
/// The smallest program of the e-graph: one that importing reads again.
static std::string dumpGraph(const Compilation &c) {
  auto module = graph::exportModule(c.model.module()->getContext(), *c.graph,
                                    graph::smallestChoice(*c.graph));
  return module ? toText(**module) : module.error().message();
}

/// Saturation: rules add equal forms until nothing is new or a budget ends it.
static Status applyRules(Compilation &c) {
  rules::RunOptions options;
  options.numerics = c.options.numerics;
  ZYXC_ASSIGN(c.ruleSet, rules::builtinRulesAnd(c.options.ruleFiles));
  for (Part &part : c.parts) {
    part.saturation = rules::runRules(*part.graph, c.ruleSet, options);
    const rules::RunReport &report = *part.saturation;
    part.rulesReport = report.toText();
    if (c.options.explainRules && report.conflict.isOk()) {
      part.rulesReport +=
          "\n" + rules::explainChoice(*part.graph, c.ruleSet, graph::smallestChoice(*part.graph));
    }
    ZYXC_RETURN_IF_ERROR(report.conflict);
  }
  return Status::ok();
}
static std::string dumpRules(const Compilation &c) {
  return forEachPart(c, [](const Part &part) { return part.rulesReport; }) + dumpGraph(c);
}

/// Every kernel that could be launched, with its cost.
static Status findCandidates(Compilation &c) {
  kernelize::Caps caps;
  caps.attention = c.options.numerics != Numerics::Exact;
  if (!c.target.isGpu() && c.options.numerics != Numerics::Exact) {
    caps.blas = c.options.blas;
  }
  caps.measured = c.options.measuredCosts.get();
  for (Part &part : c.parts) {
    part.finder.emplace(*part.graph, caps);
    ZYXC_ASSIGN(part.table, part.finder->find());
    if (c.target.isGpu()) {
      kernelize::dropUnalignedPlaces(part.table, *part.graph, rt::gpuPortAlignment);
    }
  }
  return Status::ok();
}
static std::string dumpCandidates(const Compilation &c) {
  return forEachPart(c, [](const Part &part) {
    std::string text;
    for (const kernelize::PricedProgram &program : part.table.programs) {
      text += fmt::format("// {} ps, {} bytes, {} flops\n{}", program.cost, program.bytes,
                          program.flops, program.program.toText());
    }
    return text;
  });
}

/// Tensors between equal parts of the graph, such as its layers.
static Status findBorders(Compilation &c) {
  for (Part &part : c.parts) {
    part.borders = plan::findBorders(*part.graph, part.table);
  }
  return Status::ok();
}
static std::string dumpBorders(const Compilation &c) {
  return forEachPart(c, [](const Part &part) {
    std::string text;
    for (const plan::Borders &borders : part.borders) {
      text += fmt::format("{} borders {}, {} tensors needed across\n", borders.classes.size(),
                          toString(part.graph->type(borders.classes[0])), borders.alive);
    }
    return text.empty() ? "no borders\n" : text;
  });
}

static Status choosePart(Compilation &c, Part &part) {
  extract::Limits limits;
  if (part.graph->layers.areThere()) { // few layers are worth little effort: all are, more
    constexpr uint64_t share = 20;
    limits.searchNodes /= share;
  }
  ZYXC_ASSIGN(std::optional<plan::Choice> byParts,
              plan::chooseByParts(*part.graph, part.table, part.borders, limits));
  if (byParts) {
    part.choice = *std::move(byParts);
  } else {
    ZYXC_ASSIGN(part.choice, plan::choose(*part.graph, part.table, limits));
  }
  c.layersDiffer |= part.graph->layers.areThere() && !part.choice.proved;
  return Status::ok();
}

/// The cheapest closed set of candidates.
static Status chooseKernels(Compilation &c) {
  for (Part &part : c.parts) {
    ZYXC_RETURN_IF_ERROR(choosePart(c, part));
  }
  return Status::ok();
}

/// Kernels of several outputs about that choice, and the cheapest set of all.
static Status addOutputs(Compilation &c) {
  for (Part &part : c.parts) {
    if (part.finder->addOutputSets(part.table, part.choice.candidates) > 0) {
      ZYXC_RETURN_IF_ERROR(choosePart(c, part));
    }
  }
  return Status::ok();
}

static std::string dumpChoice(const Compilation &c) {
  return forEachPart(c, [](const Part &part) {
    const plan::Choice &choice = part.choice;
    return fmt::format("{} of {} candidates, cost {} ps, lower bound {} ps, {}, {} search nodes\n",
                       choice.candidates.size(), part.table.candidates.size(), choice.cost,
                       choice.lowerBound, choice.proved ? "proved optimal" : "not proved",
                       choice.searchNodes) +
           plan::describeParts(choice);
  });
}

/// The plan of a part, with those of its regions as bodies.
static rt::Plan wholePlan(const Compilation &c, const Part &part) {
  rt::Plan plan = part.built.plan;
  for (size_t body : part.bodies) {
    plan.bodies.push_back(wholePlan(c, c.parts[body]));
  }
  return plan;
}

/// Finds the parts of the regions that the plan of a part runs.
static void addBodies(Compilation &c, Part &part) {
  for (const plan::PlannedCall &call : part.built.calls) {
    for (const auto &body : part.graph->callees[call.callee].bodies) {
      auto isBody = [&](const Part &other) {
        return other.graph == body.get();
      };
      auto found = std::find_if(c.parts.begin(), c.parts.end(), isBody);
      part.built.plan.kernels[call.kernel].control.bodies.push_back(
          static_cast<uint32_t>(part.bodies.size()));
      part.bodies.push_back(static_cast<size_t>(found - c.parts.begin()));
    }
  }
}

/// Why the plan is as it is.
static explain::Explanation explanationOf(const Compilation &c) {
  explain::Explanation explanation;
  for (const Part &part : c.parts) {
    explain::PartSteps steps{*part.graph, part.table, part.choice, part.built, part.name};
    steps.saturation = part.saturation ? &*part.saturation : nullptr;
    steps.ruleSet = c.ruleSet;
    for (size_t body : part.bodies) {
      steps.regions.push_back(c.parts[body].name);
    }
    explanation.parts.push_back(explain::explainPart(steps));
  }
  std::set<std::string> open = rt::sizeVariables(wholePlan(c, c.parts.front()));
  explanation.openSizes.assign(open.begin(), open.end());
  if (c.options.measuredCosts) {
    explanation.measuredCosts = fmt::format("{:016x}", c.options.measuredCosts->id());
  }
  return explanation;
}

/// Launch order, buffers and the explanation.
static Status planLaunches(Compilation &c) {
  for (Part &part : c.parts) {
    plan::PlanUse use{part.name.empty() ? "" : part.name + "_", &part != c.parts.data()};
    ZYXC_ASSIGN(part.built, plan::buildPlan(*part.graph, part.table, part.choice, use));
    if (part.built.layersDiffer) {
      c.layersDiffer = true;
      return Status::ok();
    }
    addBodies(c, part);
  }
  for (const kernelize::Program &program : c.parts.front().built.programs) {
    c.result.programs.push_back(
        {program.hash(), kernelize::price(program, cost::CostTable()).cost});
  }
  if (c.options.explain) {
    c.result.explanation = explanationOf(c);
  }
  rt::Plan plan = wholePlan(c, c.parts.front());
  c.result.planText = plan.toText();
  if (c.target.isGpu()) {
    return rt::checkGpuPlan(plan); // the memory is that of the device that runs it
  }
  if (plan.isSymbolic()) {
    return Status::ok(); // what it needs is known, and checked, when its sizes are
  }
  return rt::checkMemory(plan.plannedBytes(c.options.threads), c.options.memoryLimit,
                         "running the plan");
}

static std::string dumpPlan(const Compilation &c) {
  return c.result.planText;
}
static std::string dumpExplanation(const Compilation &c) {
  return explain::toText(c.options.explain ? c.result.explanation : explanationOf(c));
}

/// The chosen programs as zyxk kernels, with schedules of the host.
static Status emitKernels(Compilation &c) {
  kernelize::ZyxkEmitter emitter(/*schedules=*/!c.target.isGpu());
  for (const Part &part : c.parts) {
    const plan::BuiltPlan &built = part.built;
    for (size_t i = 0; i < built.programs.size(); ++i) {
      const kernelize::Program &program = built.programs[i];
      if (program.custom && c.target.isGpu()) {
        c.result.kernelText +=
            fmt::format("// {}: {} entry '{}' of custom kernel @{}\n", built.plan.kernels[i].name,
                        name(program.custom->form), program.custom->entry, program.custom->kernel);
        c.gpuKernels.push_back({"", program.custom, program.ports.size()});
      }
      if (!kernelize::hasCode(program.family)) {
        continue;
      }
      kernelize::PortFacts facts{built.constantPorts[i], built.alignedPorts[i],
                                 rt::outputAlignment};
      ZYXC_ASSIGN(std::string text, emitter.emit(program, built.plan.kernels[i].name, facts));
      c.result.kernelText += text;
      if (c.target.isGpu()) {
        c.gpuKernels.push_back({std::move(text), nullptr, program.ports.size()});
      } else {
        c.kernels.push_back(std::move(text));
      }
    }
  }
  return Status::ok();
}
static std::string dumpKernels(const Compilation &c) {
  return c.result.kernelText;
}

/// The code of each kernel of the whole plan; none of one that has no code.
static Expected<std::vector<KernelCode>> codeOf(const rt::Plan &whole,
                                                const std::vector<CompiledKernel> &compiled) {
  std::map<std::string_view, KernelCode> byName;
  for (const CompiledKernel &kernel : compiled) {
    byName[kernel.name] = {kernel.object, kernel.name, kernel.joinSymbol};
    for (const PreparedPort &port : kernel.prepared) {
      byName[port.symbol] = {kernel.object, port.symbol, ""};
    }
  }
  std::vector<KernelCode> code;
  for (const rt::Plan *plan : rt::wholePlan(whole)) {
    for (const rt::Kernel &kernel : plan->kernels) {
      auto found = byName.find(kernel.name);
      bool hasCode = kernel.control.kind == rt::Control::Kind::None && kernel.symbol.empty();
      if (hasCode && found == byName.end()) {
        return makeError(ErrorCode::Internal, "kernel {} has no code", kernel.name);
      }
      code.push_back(hasCode ? found->second : KernelCode());
    }
  }
  return code;
}

/// A number of tasks over the dims of a kernel, which code calls d0, d1 and so on, as a size of the
/// model. Below 0 there are none.
static int64_t tasksOf(int64_t tasks, const rt::Kernel &kernel) {
  dim::Bindings dims;
  for (size_t i = 0; i < kernel.dims.size(); ++i) {
    dims.emplace(fmt::format("d{}", i), kernel.dims[i]);
  }
  return dim::isSymbolic(tasks) ? dim::max(dim::substitute(tasks, dims), 0) : tasks;
}

/// Fills in what compiling a kernel gave.
static Status finishKernel(rt::Kernel &kernel, const CompiledKernel &compiled) {
  kernel.entry = compiled.entry;
  if (compiled.numDims != kernel.dims.size()) {
    return makeError(ErrorCode::Internal, "kernel {} takes {} dims of {}", kernel.name,
                     compiled.numDims, kernel.dims.size());
  }
  kernel.numTasks = tasksOf(compiled.numTasks, kernel);
  kernel.scratchBytes = compiled.scratchBytes;
  kernel.join = compiled.join;
  kernel.join.numTasks = tasksOf(kernel.join.numTasks, kernel);
  return Status::ok();
}

/// Fills in the kernels of a part, whose code stands at `next` and behind. Kernels that want a
/// constant packed get packing launches at load.
static Status finishPart(Part &part, std::vector<CompiledKernel>::const_iterator &next) {
  std::vector<plan::PackedPort> packed;
  for (uint32_t i = 0; i < part.built.programs.size(); ++i) {
    if (!kernelize::hasCode(part.built.programs[i].family)) {
      continue;
    }
    const CompiledKernel &compiled = *next++;
    ZYXC_RETURN_IF_ERROR(finishKernel(part.built.plan.kernels[i], compiled));
    for (const PreparedPort &port : compiled.prepared) {
      rt::Kernel pack{port.symbol, port.pack, port.packTasks};
      packed.push_back({i, port.port, port.bytes, std::move(pack)});
    }
  }
  return plan::usePackedPorts(part.built.plan, packed);
}

/// Machine code of the host.
static Status generateHostCode(Compilation &c) {
  HostTarget target = c.target.host;
  target.exact = c.options.numerics == Numerics::Exact;
  ZYXC_ASSIGN(auto compiler, HostCompiler::create(target, c.options.keepTexts));
  ZYXC_ASSIGN(auto compiled, compiler->compile(c.kernels, c.options.threads));
  auto next = compiled.cbegin();
  for (Part &part : c.parts) {
    ZYXC_RETURN_IF_ERROR(finishPart(part, next));
  }
  for (CompiledKernel &kernel : compiled) {
    if (kernel.texts) {
      c.result.texts.push_back(*std::move(kernel.texts));
    }
  }
  c.result.plan = wholePlan(c, c.parts.front());
  ZYXC_ASSIGN(c.result.kernelCode, codeOf(c.result.plan, compiled));
  c.result.code = std::shared_ptr<const HostCompiler>(std::move(compiler));
  return Status::ok();
}

/// Code for a GPU, whose plan has no bodies: kernels of the first part come first.
static Status generateGpuCode(Compilation &c) {
  c.result.plan = wholePlan(c, c.parts.front());
  auto kernels = std::span(c.gpuKernels).first(c.result.plan.kernels.size());
  ZYXC_ASSIGN(GpuPrograms programs, compileForGpu(c.target, c.result.plan, kernels,
                                                  c.options.threads, c.options.keepTexts));
  c.result.gpuCodes = std::move(programs.codes);
  c.result.gpuNeeds = std::move(programs.features);
  c.result.texts = std::move(programs.texts);
  return Status::ok();
}

static Status generateCode(Compilation &c) {
  ZYXC_RETURN_IF_ERROR(c.target.isGpu() ? generateGpuCode(c) : generateHostCode(c));
  c.result.planText = c.result.plan.toText();
  c.result.finished = true;
  return Status::ok();
}

namespace {

/// A step of the pipeline: what runs, and what can be printed after it.
struct Step {
  std::string_view name;
  bool optional; ///< an answer needs no such step: --disable may leave it out
  Status (*run)(Compilation &);
  std::string (*dump)(const Compilation &);
};

} // namespace

// The pipeline, from the top (docs/pipeline.md).
static constexpr Step pipeline[] = {
    {"import", false, importModel, dumpModel},
    {"layers", true, findLayers, dumpLayers},
    {"egraph", false, buildGraph, dumpGraph},
    {"rules", true, applyRules, dumpRules},
    {"candidates", false, findCandidates, dumpCandidates},
    {"borders", true, findBorders, dumpBorders},
    {"choose", false, chooseKernels, dumpChoice},
    {"outputs", true, addOutputs, dumpChoice},
    {"plan", false, planLaunches, dumpExplanation},
    {"kernels", false, emitKernels, dumpKernels},
    {"codegen", false, generateCode, dumpPlan},
};

bool isStep(std::string_view name) {
  return std::any_of(std::begin(pipeline), std::end(pipeline),
                     [&](const Step &step) { return step.name == name; });
}

std::string stepList() {
  std::string list;
  for (const Step &step : pipeline) {
    list += (list.empty() ? "" : ", ") + std::string(step.name);
  }
  return list;
}

static Status runPipeline(Compilation &c) {
  const CompileOptions &options = c.options;
  auto contains = [](const std::vector<std::string> &list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const Step &step : pipeline) {
    if (contains(options.disable, step.name)) {
      if (!step.optional) {
        return makeError(ErrorCode::Usage, "--disable={}: an answer needs this step", step.name);
      }
      continue;
    }
    if (options.onStep) {
      options.onStep(step.name);
    }
    auto start = Clock::now();
    ZYXC_RETURN_IF_ERROR(step.run(c));
    double before = step.run == importModel ? c.model.importSeconds() : 0;
    c.result.timings.push_back({std::string(step.name), before + secondsSince(start)});
    if (c.layersDiffer) {
      return Status::ok();
    }
    bool last = options.stopAfter == step.name;
    if (options.dump && (last || contains(options.dumpAfter, step.name))) {
      options.dump(step.name, step.dump(c));
    }
    if (last) {
      break;
    }
  }
  return Status::ok();
}

Expected<Compiled> compile(const Model &model, const CompileOptions &options) {
  const rt::GpuDeviceInfo *device = options.device ? &*options.device : nullptr;
  ZYXC_ASSIGN(ModelTarget target, ModelTarget::named(options.target, device));
  std::optional<Model> unrolled; // plans for GPUs do not branch or loop
  if (target.isGpu()) {
    unrolled = model.unrolled();
  }
  const Model &source = unrolled ? *unrolled : model;
  std::unique_ptr<Compilation> c;
  std::vector<StepTiming> lost; // of an attempt with few layers
  for (size_t keptLayers : {3, 0}) {
    c.reset(new Compilation{source, options, target, keptLayers});
    ZYXC_RETURN_IF_ERROR(runPipeline(*c));
    if (!c->layersDiffer) {
      break;
    }
    lost.insert(lost.end(), c->result.timings.begin(), c->result.timings.end());
  }
  Compiled result = std::move(c->result);
  for (StepTiming &step : result.timings) {
    for (const StepTiming &before : lost) {
      step.seconds += before.step == step.step && before.step != "import" ? before.seconds : 0;
    }
  }
  result.target = std::move(target);
  // Of the time of large models: the e-graph, the table and the texts.
  auto start = Clock::now();
  c.reset();
  result.timings.push_back({"free", secondsSince(start)});
  return result;
}

} // namespace zyxc
