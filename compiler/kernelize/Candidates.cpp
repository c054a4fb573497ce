#include "compiler/kernelize/Candidates.h"
#include "compiler/graph/InvertView.h"
#include "compiler/kernelize/CallPrograms.h"
#include "compiler/kernelize/CutForm.h"
#include "compiler/kernelize/OrderedPrograms.h"
#include "compiler/kernelize/OutputSets.h"
#include "compiler/kernelize/Pricing.h"
#include "compiler/kernelize/ProgramBuilder.h"
#include "compiler/kernelize/library/LibraryPrograms.h"
#include "runtime/core/Dim.h"
#include <algorithm>
#include <unordered_map>

namespace zyxc::kernelize {

std::vector<std::vector<uint32_t>> CandidateTable::producers() const {
  std::vector<std::vector<uint32_t>> result;
  for (uint32_t k = 0; k < candidates.size(); ++k) {
    for (ClassId output : candidates[k].outputs) {
      result.resize(std::max(result.size(), static_cast<size_t>(output) + 1));
      result[output].push_back(k);
    }
  }
  return result;
}

/// The costs of a use of libraries.
static cost::CostTable costsFor(LibraryUse use) {
  cost::CostTable costs;
  if (use == LibraryUse::Always) {
    costs.contractFlop = costs.refusedFlop;
  }
  return costs;
}

/// Fills the table from the outputs down: only classes that a candidate reads are looked at.
class CandidateFinder::Impl {
public:
  Impl(const graph::TensorGraph &graph, const Caps &caps)
      : graph(graph), caps(caps), costs(costsFor(caps.blas)), cuts(graph, caps), forms(graph) {}

  Expected<CandidateTable> find() {
    for (ClassId root : graph.roots()) {
      demand(root);
    }
    ZYXC_RETURN_IF_ERROR(addDemanded());
    finish();
    return std::move(table);
  }

  size_t addOutputSets(CandidateTable &found, std::span<const uint32_t> chosen) {
    table = std::move(found);
    size_t before = table.candidates.size();
    LocalGain gain(graph, table, chosen);
    addOutputSets(chosen);
    // What does not save anything where it stands would only be searched for.
    auto first = table.candidates.begin() + static_cast<ptrdiff_t>(before);
    table.candidates.erase(
        std::remove_if(first, table.candidates.end(),
                       [&](const Candidate &candidate) { return gain.of(candidate) <= 0; }),
        table.candidates.end());
    finish();
    found = std::move(table);
    return found.candidates.size() - before;
  }

private:
  /// A function of a library that computes what a kernel does.
  struct LibraryForm {
    uint32_t program = 0;                ///< in the table
    std::array<uint32_t, 2> inputs = {}; ///< input ports of the kernel
  };

  /// What the cuts of one form become.
  struct FormKernel {
    bool isLegal = false;
    bool isCopy = false;
    Program program = {};              ///< until it is in the table
    uint32_t index = egraph::none;     ///< of the program in the table, once a candidate needs it
    std::vector<uint32_t> inputs = {}; ///< numbers of classes in the form, one per input port
    std::vector<LibraryForm> libraries = {}; ///< functions of libraries that compute the same
  };

  /// Ways to produce each class that is read.
  Status addDemanded() {
    for (size_t i = 0; i < queue.size(); ++i) {
      ClassId cls = queue[i];
      if (cuts.isGiven(cls)) {
        table.given.push_back(cls);
        continue;
      }
      size_t before = table.candidates.size();
      addKernels(cls);
      addOrdered(cls);
      addCalls(cls);
      addIdentities(cls);
      addAliases(cls);
      addConcatsInPlace(cls);
      if (table.candidates.size() == before && isOutput(cls) && !isCalled(cls)) {
        bool isOpen = dim::anySymbolic(graph.type(cls).shape);
        return makeError(ErrorCode::Unsupported, "no kernel can compute {}{}",
                         cuts.describeUncomputed(cls),
                         isOpen ? " while its sizes are open: give them, --dim NAME=SIZE" : "");
      }
    }
    return Status::ok();
  }

  bool isOutput(ClassId cls) const {
    return std::any_of(
        graph.outputs.begin(), graph.outputs.end(),
        [&](const graph::Endpoint &output) { return graph.find(output.cls) == cls; });
  }

  void demand(ClassId cls) {
    if (demanded.size() <= cls) {
      demanded.resize(static_cast<size_t>(cls) + 1, false);
    }
    if (!demanded[cls]) {
      demanded[cls] = true;
      queue.push_back(cls);
    }
  }

  /// Index of the program, which is priced if it is new.
  uint32_t intern(Program program) {
    uint64_t hash = program.hash();
    auto [begin, end] = programByHash.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
      if (table.programs[entry->second].program.identical(program)) {
        return entry->second;
      }
    }
    auto index = static_cast<uint32_t>(table.programs.size());
    table.programs.push_back(price(std::move(program), costs));
    if (int64_t &cost = table.programs.back().cost; caps.measured) {
      cost = caps.measured->find(hash, cost).value_or(cost);
    }
    programByHash.emplace(hash, index);
    return index;
  }

  void addCandidate(Candidate candidate) {
    for (ClassId input : candidate.inputs) {
      demand(input);
    }
    table.candidates.push_back(std::move(candidate));
  }

  void addKernel(ClassId cls, BuiltProgram built, const Cut *cut) {
    uint32_t program = intern(std::move(built.program));
    addKernel(cls, program, std::move(built.inputs), cut);
  }

  void addKernel(ClassId cls, uint32_t program, std::vector<ClassId> inputs, const Cut *cut) {
    Candidate candidate;
    candidate.program = program;
    candidate.inputs = std::move(inputs);
    candidate.outputs = {cls};
    if (cut) {
      candidate.outputs.insert(candidate.outputs.end(), cut->stores.begin(), cut->stores.end());
    }
    candidate.prepare = cuts.isConstantOnly(cls);
    candidate.cost = table.programs[candidate.program].cost;
    if (caps.blas == LibraryUse::Always && isLibrary(candidate.program)) {
      candidate.cost = 1;
    }
    if (candidate.prepare) {
      candidate.cost = candidate.cost / costs.prepareShare + 1;
    }
    if (cut) {
      for (const Interior &entry : cut->interior) {
        candidate.nodes.push_back(entry.node);
      }
      std::sort(candidate.nodes.begin(), candidate.nodes.end());
    }
    addCandidate(std::move(candidate));
  }

  bool isLibrary(uint32_t program) const {
    return table.programs[program].program.family == Family::Library;
  }

  void addKernels(ClassId cls) {
    if (const Tensor *splat = graph.splat(cls)) {
      addKernel(cls, {fillProgram(graph.type(cls), *splat), {}}, nullptr);
      return;
    }
    // Two classes may be views of each other: one of them must be computed.
    size_t before = table.candidates.size();
    if (!addKernels(cls, cuts.cutsOf(cls), /*copies=*/true)) {
      addKernels(cls, cuts.singleNodeCuts(cls), /*copies=*/table.candidates.size() == before);
    }
  }

  /// True if a kernel that computes was added, or any kernel of a class that is nothing but a view.
  bool addKernels(ClassId cls, const std::vector<Cut> &list, bool copies) {
    bool computes = false;
    for (const Cut &cut : list) {
      const CutForm &form = forms.formOf(cls, cut);
      FormKernel &kernel = kernelOf(form, cls, cut);
      if (!kernel.isLegal) {
        ++illegalCuts;
        continue;
      }
      computes |= !kernel.isCopy || isView(cls);
      if (!kernel.isCopy || copies) {
        addKernel(cls, kernel, form, cut);
      }
    }
    return computes;
  }

  void addKernel(ClassId cls, FormKernel &kernel, const CutForm &form, const Cut &cut) {
    if (kernel.index == egraph::none) {
      if (caps.blas != LibraryUse::Off) {
        addLibraryForms(kernel);
      }
      kernel.index = intern(std::move(kernel.program));
    }
    std::vector<ClassId> inputs;
    inputs.reserve(kernel.inputs.size());
    for (uint32_t number : kernel.inputs) {
      inputs.push_back(form.classes[number]);
    }
    for (const LibraryForm &library : kernel.libraries) {
      addKernel(cls, library.program, {inputs[library.inputs[0]], inputs[library.inputs[1]]}, &cut);
    }
    addKernel(cls, kernel.index, std::move(inputs), &cut);
  }

  /// What functions of libraries compute the same.
  void addLibraryForms(FormKernel &kernel) {
    for (LibraryProgram &program : blasPrograms(kernel.program)) {
      kernel.libraries.push_back({intern(std::move(program.program)), program.inputs});
    }
  }

  bool readsDemanded(const FormKernel &kernel, const CutForm &form) const {
    return std::all_of(kernel.inputs.begin(), kernel.inputs.end(), [&](uint32_t number) {
      ClassId input = form.classes[number];
      return input < demanded.size() && demanded[input];
    });
  }

  void finish() {
    findConflicts();
    orderClasses();
    reportCaps();
  }

  /// What the chosen candidates store, what they compute on the way, once for each, and all that
  /// they produce.
  OutputUse useOf(std::span<const uint32_t> chosen) const {
    OutputUse use;
    for (uint32_t k : chosen) {
      const Candidate &candidate = table.candidates[k];
      use.there.insert(use.there.end(), candidate.outputs.begin(), candidate.outputs.end());
      bool isKernel = candidate.kind == Candidate::Kind::Kernel && !candidate.prepare;
      for (ClassId output : isKernel ? candidate.outputs : std::vector<ClassId>()) {
        use.stored.push_back(output);
      }
      for (NodeId node : isKernel ? candidate.nodes : std::vector<NodeId>()) {
        use.computed.push_back(graph.find(node));
      }
    }
    return use;
  }

  /// Kernels that store several classes. (One that is not legal is no loss: its classes have
  /// kernels of their own.) They read what others read.
  void addOutputSets(std::span<const uint32_t> chosen) {
    OutputSets sets(graph, cuts, useOf(chosen), caps);
    for (ClassId cls : sets.stored()) {
      std::vector<Cut> found = sets.siblings(cls);
      for (const Cut &cut : cuts.cutsOf(cls)) {
        std::ranges::move(sets.withStores(cls, cut), std::back_inserter(found));
      }
      for (const Cut &cut : found) {
        const CutForm &form = forms.formOf(cls, cut);
        if (FormKernel &kernel = kernelOf(form, cls, cut);
            kernel.isLegal && readsDemanded(kernel, form)) {
          addKernel(cls, kernel, form, cut);
        }
      }
    }
    siblingHits = sets.siblingCapHits();
  }

  /// What a cut becomes; made once for all cuts of its form.
  FormKernel &kernelOf(const CutForm &form, ClassId cls, const Cut &cut) {
    auto [number, isNew] = formNumbers.intern(form);
    if (isNew) {
      formKernels.emplace_back();
    }
    if (isNew || !caps.reuse) {
      ++table.cutsBuilt;
      FormKernel &kernel = formKernels[number];
      kernel = {};
      if (std::optional<BuiltProgram> built = buildProgram(graph, cls, cut, caps)) {
        const std::vector<Value> &values = built->program.values;
        kernel.isLegal = true;
        kernel.isCopy = values.size() == 1 && values[0].op == Value::Op::Load;
        kernel.program = std::move(built->program);
        for (ClassId input : built->inputs) {
          auto at = std::find(form.classes.begin(), form.classes.end(), input);
          kernel.inputs.push_back(static_cast<uint32_t>(at - form.classes.begin()));
        }
      }
    }
    return formKernels[number];
  }

  /// Scans, sorts and scatter are kernels of their own.
  void addOrdered(ClassId cls) {
    for (NodeId node : graph.nodes(cls)) {
      std::vector<ClassId> operands = graph.operands(node);
      if (isOrdered(graph.kind(node)) && !graph.splat(cls) &&
          std::find(operands.begin(), operands.end(), cls) == operands.end()) {
        Cut cut;
        cut.interior.push_back({.cls = cls, .node = node});
        addKernel(cls, buildOrderedProgram(graph, node), &cut);
      }
    }
  }

  /// All results of a call come from one kernel.
  void addCalls(ClassId cls) {
    for (NodeId node : graph.nodes(cls)) {
      if (graph.kind(node) != OpKind::Call) {
        continue;
      }
      auto callee = static_cast<size_t>(graph.attrs(node).getInt("callee"));
      calledFrom.resize(graph.callees.size(), false);
      if (calledFrom[callee]) {
        continue;
      }
      calledFrom[callee] = true;
      BuiltProgram built = buildCallProgram(graph, node);
      Candidate candidate;
      candidate.program = intern(std::move(built.program));
      candidate.inputs = std::move(built.inputs);
      for (ClassId result : graph.callees[callee].results) {
        candidate.outputs.push_back(graph.find(result));
      }
      candidate.cost = table.programs[candidate.program].cost;
      candidate.nodes = {node};
      if (!isComputedOtherwise(candidate.outputs) || canStore(candidate)) {
        addCandidate(std::move(candidate));
      }
    }
  }

  /// A custom kernel competes with its decomposition.
  bool isComputedOtherwise(const std::vector<ClassId> &results) const {
    return std::any_of(results.begin(), results.end(), [&](ClassId cls) {
      std::vector<NodeId> nodes = graph.nodes(cls);
      return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
        return graph.kind(node) != OpKind::Call && graph.kind(node) != OpKind::Constant;
      });
    });
  }

  /// False if results of a kernel that competes were found equal to each other, to an operand, or
  /// to what needs no candidate: the decomposition has to make them then.
  bool canStore(const Candidate &candidate) const {
    std::vector<ClassId> stored = candidate.outputs;
    std::sort(stored.begin(), stored.end());
    return std::adjacent_find(stored.begin(), stored.end()) == stored.end() &&
           std::none_of(stored.begin(), stored.end(), [&](ClassId cls) {
             return cuts.isGiven(cls) || graph.isConstant(cls) ||
                    std::find(candidate.inputs.begin(), candidate.inputs.end(), cls) !=
                        candidate.inputs.end();
           });
  }

  bool isCalled(ClassId cls) const {
    std::vector<NodeId> nodes = graph.nodes(cls);
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](NodeId node) { return graph.kind(node) == OpKind::Call; });
  }

  /// The operand, stored, is the value; or a copy of it, where the value has to lie elsewhere.
  void addIdentities(ClassId cls) {
    for (NodeId node : graph.nodes(cls)) {
      if (!isIdentity(graph.kind(node)) || graph.splat(cls)) {
        continue;
      }
      ClassId operand = graph.operands(node)[0];
      if (operand == cls) {
        continue;
      }
      Candidate candidate;
      candidate.kind = Candidate::Kind::Alias;
      candidate.inputs = {operand};
      candidate.outputs = {cls};
      candidate.prepare = cuts.isConstantOnly(cls);
      candidate.nodes = {node};
      addCandidate(std::move(candidate));
      Cut cut;
      cut.interior.push_back({.cls = cls, .node = node});
      addKernel(cls, {copyProgram(graph.type(cls)), {operand}}, &cut);
    }
  }

  bool isView(ClassId cls) const {
    std::vector<NodeId> nodes = graph.nodes(cls);
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](NodeId node) { return graph.kind(node) == OpKind::View; });
  }

  void addAliases(ClassId cls) {
    const TensorType &type = graph.type(cls);
    for (NodeId node : graph.nodes(cls)) {
      if (graph.kind(node) != OpKind::View) {
        continue;
      }
      ClassId operand = graph.operands(node)[0];
      std::optional<int64_t> offset = graph::aliasOffset(graph.attrs(node).getMap("map"),
                                                         type.shape, graph.type(operand).shape);
      // A splat has no memory of its own, and what is prepared stays apart from what is not.
      if (!offset || operand == cls || graph.type(operand).numElements() == 0 ||
          (graph.splat(operand) && !graph.constant(operand)) ||
          cuts.isConstantOnly(cls) != cuts.isConstantOnly(operand)) {
        continue;
      }
      Candidate candidate;
      candidate.kind = Candidate::Kind::Alias;
      candidate.inputs = {operand};
      candidate.outputs = {cls};
      auto elementBytes = static_cast<int64_t>(byteSize(type.dtype));
      candidate.offset = static_cast<uint64_t>(dim::mul(*offset, elementBytes));
      candidate.prepare = cuts.isConstantOnly(cls);
      candidate.nodes = {node};
      addCandidate(std::move(candidate));
    }
  }

  /// An operand can be written into a part of the result: it has no other place.
  bool canLiveInside(ClassId operand, ClassId cls) const {
    return operand != cls && !cuts.isGiven(operand) && !graph.splat(operand) &&
           !isOutput(operand) && !cuts.isConstantOnly(operand);
  }

  /// The operands of a concat that can be made in place; empty if it cannot.
  std::vector<ClassId> operandsInPlace(ClassId cls, NodeId node) const {
    const Shape &shape = graph.type(cls).shape;
    int64_t axis = graph.attrs(node).getInt("axis");
    bool legal = std::all_of(shape.begin(), shape.begin() + axis,
                             [](int64_t extent) { return extent == 1; });
    std::vector<ClassId> operands;
    for (ClassId operand : graph.operands(node)) {
      if (graph.type(operand).numElements() == 0) {
        continue;
      }
      legal = legal && canLiveInside(operand, cls) &&
              std::find(operands.begin(), operands.end(), operand) == operands.end();
      operands.push_back(operand);
    }
    return legal ? operands : std::vector<ClassId>();
  }

  /// Of nested and flattened forms of one concatenation the nested one is offered: what it joins is
  /// made in place itself, and each tensor has one place that all forms agree on.
  void addConcatsInPlace(ClassId cls) {
    Candidate candidate;
    candidate.kind = Candidate::Kind::ConcatInPlace;
    candidate.outputs = {cls};
    for (NodeId node : graph.nodes(cls)) {
      if (graph.kind(node) != OpKind::Concat) {
        continue;
      }
      std::vector<ClassId> operands = operandsInPlace(cls, node);
      bool isBetter = candidate.inputs.empty() || operands.size() < candidate.inputs.size();
      if (!operands.empty() && isBetter) {
        candidate.inputs = std::move(operands);
        candidate.nodes = {node};
      }
    }
    if (!candidate.inputs.empty()) {
      addCandidate(std::move(candidate));
    }
  }

  /// A class has one place. In-place concats that share an operand exclude each other, and so do an
  /// in-place concat and an alias that would give its operand a place already.
  void findConflicts() {
    table.conflicts.clear();
    std::unordered_map<ClassId, std::vector<uint32_t>> placed; // by class: who decides its place
    for (uint32_t k = 0; k < table.candidates.size(); ++k) {
      const Candidate &candidate = table.candidates[k];
      if (candidate.kind == Candidate::Kind::ConcatInPlace) {
        for (ClassId input : candidate.inputs) {
          placed[input].push_back(k);
        }
      } else if (candidate.kind == Candidate::Kind::Alias) {
        placed[candidate.outputs[0]].push_back(k);
      }
    }
    for (ClassId cls : queue) {
      auto entry = placed.find(cls);
      if (entry == placed.end()) {
        continue;
      }
      for (size_t i = 0; i < entry->second.size(); ++i) {
        for (size_t j = i + 1; j < entry->second.size(); ++j) {
          uint32_t a = entry->second[i];
          uint32_t b = entry->second[j];
          if (table.candidates[a].kind == Candidate::Kind::ConcatInPlace ||
              table.candidates[b].kind == Candidate::Kind::ConcatInPlace) {
            table.conflicts.emplace_back(std::min(a, b), std::max(a, b));
          }
        }
      }
    }
    std::sort(table.conflicts.begin(), table.conflicts.end());
    table.conflicts.erase(std::unique(table.conflicts.begin(), table.conflicts.end()),
                          table.conflicts.end());
  }

  void orderClasses() {
    table.classes.clear();
    for (ClassId cls : cuts.classes()) {
      if (cls < demanded.size() && demanded[cls]) {
        table.classes.push_back(cls);
      }
    }
    std::sort(table.given.begin(), table.given.end());
  }

  void reportCaps() {
    table.caps = {
        {"cuts per class", caps.cutsPerClass, cuts.cutCapHits()},
        {"merges per node and operand", caps.mergesPerNode, cuts.mergeCapHits()},
        {"ports per kernel", caps.ports, cuts.portCapHits()},
        {"ops per kernel", caps.ops, cuts.opCapHits()},
        {"reduction levels", caps.reductionLevels, cuts.levelCapHits()},
        {"siblings in one kernel", caps.siblings, siblingHits},
        {"recompute percent", caps.recomputePercent, cuts.recomputeCapHits()},
        {"cuts without a legal kernel", 0, illegalCuts},
    };
  }

  const graph::TensorGraph &graph;
  Caps caps;
  cost::CostTable costs;
  CutTable cuts;
  CutForms forms;
  CutFormTable formNumbers;
  std::vector<FormKernel> formKernels; ///< by number of the form
  CandidateTable table;
  std::vector<ClassId> queue;
  std::vector<bool> demanded;
  std::vector<bool> calledFrom; ///< by callee: its candidate is in the table
  std::unordered_multimap<uint64_t, uint32_t> programByHash;
  int64_t siblingHits = 0;
  int64_t illegalCuts = 0;
};

/// Building a table takes time in proportion to classes times ops per kernel: very large graphs get
/// smaller kernels.
static Caps scaled(Caps caps, size_t numClasses) {
  constexpr int64_t classesTimesOps = int64_t(1) << 19;
  constexpr int64_t fewest = 32;
  int64_t affordable = classesTimesOps / static_cast<int64_t>(std::max<size_t>(numClasses, 1));
  caps.ops = static_cast<int>(std::min<int64_t>(caps.ops, std::max(affordable, fewest)));
  return caps;
}

CandidateFinder::CandidateFinder(const graph::TensorGraph &graph, const Caps &caps)
    : impl(std::make_unique<Impl>(graph, scaled(caps, graph.reachableClasses().size()))) {}
CandidateFinder::CandidateFinder(CandidateFinder &&other) noexcept = default;
CandidateFinder::~CandidateFinder() = default;

Expected<CandidateTable> CandidateFinder::find() {
  return impl->find();
}

size_t CandidateFinder::addOutputSets(CandidateTable &table, std::span<const uint32_t> chosen) {
  return impl->addOutputSets(table, chosen);
}

Expected<CandidateTable> buildCandidates(const graph::TensorGraph &graph, const Caps &caps) {
  return CandidateFinder(graph, caps).find();
}

} // namespace zyxc::kernelize
