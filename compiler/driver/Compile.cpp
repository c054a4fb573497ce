#include "compiler/driver/Compile.h"
#include "compiler/codegen/cpu/HostCompiler.h"
#include "compiler/graph/module/FromModule.h"
#include "compiler/graph/module/ToModule.h"
#include "compiler/kernelize/emit/EmitZyxk.h"
#include "compiler/plan/PlanBuilder.h"
#include "compiler/rules/BuiltinRules.h"
#include "compiler/rules/Runner.h"
#include "runtime/exec/Executor.h"
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

/// What the steps hand on to each other.
struct Compilation {
  const Model &model;
  const CompileOptions &options;
  Compiled result = {};
  std::optional<graph::TensorGraph> graph = {};
  std::string rulesReport = {};
  kernelize::CandidateTable table = {};
  plan::Choice choice = {};
  plan::BuiltPlan built = {};
  std::vector<std::string> kernels = {}; ///< zyxk text, one module a kernel
};

} // namespace

/// The ops of the model as they were read: Model::load did it, and its time counts.
static Status importModel(Compilation &c) {
  return Status::ok();
}
static std::string dumpModel(const Compilation &c) {
  return c.model.text();
}

/// One e-class a value; composites stand beside their decompositions.
static Status buildGraph(Compilation &c) {
  ZYXC_ASSIGN(c.graph, graph::importFunction(c.model.function()));
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
  ZYXC_ASSIGN(std::vector<rules::Rule> ruleSet, rules::builtinRules());
  rules::RunReport report = rules::runRules(*c.graph, ruleSet, options);
  c.rulesReport = report.toText();
  return report.conflict;
}
static std::string dumpRules(const Compilation &c) {
  return c.rulesReport + dumpGraph(c);
}

/// Every kernel that could be launched, with its cost.
static Status findCandidates(Compilation &c) {
  ZYXC_ASSIGN(c.table, kernelize::buildCandidates(*c.graph));
  return Status::ok();
}
static std::string dumpCandidates(const Compilation &c) {
  std::string text;
  for (const kernelize::PricedProgram &program : c.table.programs) {
    text += fmt::format("// {} ps, {} bytes, {} flops\n{}", program.cost, program.bytes,
                        program.flops, program.program.toText());
  }
  return text;
}

/// The cheapest closed set of candidates.
static Status chooseKernels(Compilation &c) {
  ZYXC_ASSIGN(c.choice, plan::choose(*c.graph, c.table));
  return Status::ok();
}

static std::string dumpChoice(const Compilation &c) {
  return fmt::format("{} of {} candidates, cost {} ps, lower bound {} ps, {}, {} search nodes\n",
                     c.choice.candidates.size(), c.table.candidates.size(), c.choice.cost,
                     c.choice.lowerBound, c.choice.proved ? "proved optimal" : "not proved",
                     c.choice.searchNodes);
}

/// Launch order, buffers and the explanation.
static Status planLaunches(Compilation &c) {
  ZYXC_ASSIGN(c.built, plan::buildPlan(*c.graph, c.table, c.choice));
  c.result.explanation = plan::explain(*c.graph, c.table, c.choice, c.built);
  c.result.planText = c.built.plan.toText();
  if (c.built.plan.isSymbolic()) {
    return Status::ok(); // what it needs is known, and checked, when its sizes are
  }
  return rt::checkMemory(c.built.plan.plannedBytes(c.options.threads), c.options.memoryLimit,
                         "running the plan");
}

static std::string dumpPlan(const Compilation &c) {
  return c.result.planText;
}
static std::string dumpExplanation(const Compilation &c) {
  return c.result.explanation;
}

/// The chosen programs as zyxk kernels, with schedules.
static Status emitKernels(Compilation &c) {
  kernelize::ZyxkEmitter emitter;
  for (size_t i = 0; i < c.built.programs.size(); ++i) {
    kernelize::PortFacts facts{c.built.constantPorts[i], c.built.alignedPorts[i],
                               rt::outputAlignment};
    ZYXC_ASSIGN(std::string text,
                emitter.emit(c.built.programs[i], c.built.plan.kernels[i].name, facts));
    c.result.kernelText += text;
    c.kernels.push_back(std::move(text));
  }
  return Status::ok();
}
static std::string dumpKernels(const Compilation &c) {
  return c.result.kernelText;
}

/// The code of each kernel of the plan: compiled ones first, then those that pack their constants.
static Expected<std::vector<KernelCode>> codeOf(const rt::Plan &plan,
                                                const std::vector<CompiledKernel> &compiled) {
  std::map<std::string_view, KernelCode> byName;
  for (const CompiledKernel &kernel : compiled) {
    byName[kernel.name] = {kernel.object, kernel.name, kernel.joinSymbol};
    for (const PreparedPort &port : kernel.prepared) {
      byName[port.symbol] = {kernel.object, port.symbol, ""};
    }
  }
  std::vector<KernelCode> code;
  for (const rt::Kernel &kernel : plan.kernels) {
    auto found = byName.find(kernel.name);
    if (found == byName.end()) {
      return makeError(ErrorCode::Internal, "kernel {} has no code", kernel.name);
    }
    code.push_back(found->second);
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

/// Machine code. Kernels that want a constant packed get packing launches at load.
static Status generateCode(Compilation &c) {
  ZYXC_ASSIGN(HostTarget target, HostTarget::ofModel(c.options.target));
  target.exact = c.options.numerics == Numerics::Exact;
  ZYXC_ASSIGN(auto compiler, HostCompiler::create(target, c.options.keepTexts));
  ZYXC_ASSIGN(auto compiled, compiler->compile(c.kernels, c.options.threads));
  std::vector<plan::PackedPort> packed;
  for (uint32_t i = 0; i < compiled.size(); ++i) {
    rt::Kernel &kernel = c.built.plan.kernels[i];
    kernel.entry = compiled[i].entry;
    if (compiled[i].numDims != kernel.dims.size()) {
      return makeError(ErrorCode::Internal, "kernel {} takes {} dims of {}", kernel.name,
                       compiled[i].numDims, kernel.dims.size());
    }
    kernel.numTasks = tasksOf(compiled[i].numTasks, kernel);
    kernel.scratchBytes = compiled[i].scratchBytes;
    kernel.join = compiled[i].join;
    kernel.join.numTasks = tasksOf(kernel.join.numTasks, kernel);
    for (const PreparedPort &port : compiled[i].prepared) {
      rt::Kernel pack{port.symbol, port.pack, port.packTasks};
      packed.push_back({i, port.port, port.bytes, std::move(pack)});
    }
    if (compiled[i].texts) {
      c.result.texts.push_back(*std::move(compiled[i].texts));
    }
  }
  ZYXC_RETURN_IF_ERROR(plan::usePackedPorts(c.built.plan, packed));
  ZYXC_ASSIGN(c.result.kernelCode, codeOf(c.built.plan, compiled));
  c.result.plan = std::move(c.built.plan);
  c.result.planText = c.result.plan.toText();
  c.result.target = std::move(target);
  c.result.targetName = HostTarget::fullName(c.options.target);
  c.result.code = std::shared_ptr<const HostCompiler>(std::move(compiler));
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
    {"egraph", false, buildGraph, dumpGraph},
    {"rules", true, applyRules, dumpRules},
    {"candidates", false, findCandidates, dumpCandidates},
    {"choose", false, chooseKernels, dumpChoice},
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
  auto c = std::unique_ptr<Compilation>(new Compilation{model, options});
  ZYXC_RETURN_IF_ERROR(runPipeline(*c));
  Compiled result = std::move(c->result);
  // Of the time of large models: the e-graph, the table and the texts.
  auto start = Clock::now();
  c.reset();
  result.timings.push_back({"free", secondsSince(start)});
  return result;
}

} // namespace zyxc
