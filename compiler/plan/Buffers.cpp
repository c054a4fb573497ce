#include "compiler/plan/Buffers.h"
#include "compiler/graph/InvertView.h"
#include "compiler/kernelize/ProgramBuilder.h"
#include "compiler/kernelize/program/InPlace.h"
#include "runtime/plan/PackArena.h"
#include <algorithm>

namespace zyxc::plan {

using kernelize::Candidate;

void Buffers::addInputs() {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    inputIndex.emplace(graph.find(graph.inputs[i].cls), i);
  }
}

bool Buffers::isGiven(ClassId cls) const {
  return std::binary_search(table.given.begin(), table.given.end(), cls) || isConstant(cls);
}

bool Buffers::isPrepared(ClassId root) const {
  return std::find(prepared.begin(), prepared.end(), root) != prepared.end();
}

bool Buffers::isElsewhere(ClassId root) const {
  return isGiven(root) || outputOf.contains(root) || inputPlace.contains(root) ||
         preparedOffset.contains(root);
}

//===- Values beside those of the graph -------------------------------------------------------===//

kernelize::ClassId Buffers::addValue(TensorType type) {
  auto cls = static_cast<ClassId>(graph.engine().numNodes() + added.size());
  return addPart(std::move(type), {cls, 0});
}

kernelize::ClassId Buffers::addPart(TensorType type, Place place) {
  added.push_back({std::move(type), place});
  return static_cast<ClassId>(graph.engine().numNodes() + added.size() - 1);
}

const TensorType &Buffers::typeOf(ClassId cls) const {
  size_t numClasses = graph.engine().numNodes();
  return cls < numClasses ? graph.type(cls) : added[cls - numClasses].type;
}

Place Buffers::placeOf(ClassId cls) const {
  size_t numClasses = graph.engine().numNodes();
  return cls < numClasses ? placement.of(cls) : added[cls - numClasses].place;
}

//===- Memory filled at load ------------------------------------------------------------------===//

bool Buffers::prepareAtLoad(const Candidate &candidate) {
  auto isOpen = [&](ClassId cls) {
    return dim::anySymbolic(graph.type(cls).shape) ||
           dim::anySymbolic(graph.type(placement.of(cls).root).shape);
  };
  auto isLater = [&](ClassId cls) {
    return !isGiven(cls) && !isPrepared(cls);
  };
  bool atLoad = candidate.prepare &&
                std::none_of(candidate.outputs.begin(), candidate.outputs.end(), isOpen) &&
                std::none_of(candidate.inputs.begin(), candidate.inputs.end(), isLater);
  if (atLoad) {
    prepared.insert(prepared.end(), candidate.outputs.begin(), candidate.outputs.end());
  }
  return atLoad;
}

void Buffers::setPrepared(ClassId root, bool isMade) {
  if (isMade) {
    prepared.push_back(root);
  } else {
    std::erase(prepared, root);
  }
}

void Buffers::placePrepared() {
  for (ClassId cls : prepared) {
    ClassId root = placeOf(cls).root;
    if (!isGiven(root) && !preparedOffset.contains(root)) {
      preparedOffset.emplace(root, built.plan.preparedBytes);
      built.plan.preparedBytes += rt::alignUp(typeOf(root).byteSize());
    }
  }
}

//===- Outputs --------------------------------------------------------------------------------===//

void Buffers::placeOutputs(std::vector<Step> &steps) {
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    ClassId cls = graph.find(graph.outputs[i].cls);
    const TensorType &type = graph.type(cls);
    if (type.numElements() == 0) {
      continue;
    }
    Place place = placeOf(cls);
    bool isWhole = place.offset == 0 && graph.type(place.root).byteSize() == type.byteSize();
    if (isWhole && !isGiven(place.root) && !isPrepared(place.root) &&
        !outputOf.contains(place.root)) {
      outputOf.emplace(place.root, i);
      continue;
    }
    Step copy;
    copy.kernel = kernels.add(kernelize::copyProgram(type), 0);
    copy.inputs = {cls};
    copy.copyTo = static_cast<int64_t>(i);
    copy.label = "copy to output " + graph.outputs[i].name;
    steps.push_back(std::move(copy));
  }
}

//===- Inputs that are written ----------------------------------------------------------------===//

void Buffers::placeWrites(std::vector<Step> &steps) {
  // What is itself a part of an input that changes is kept first.
  std::vector<ClassId> values;
  values.reserve(graph.writes.size());
  for (const graph::Write &write : graph.writes) {
    values.push_back(kept(graph.find(write.value), write, steps));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const graph::Write &write = graph.writes[i];
    if (!placeInInput(values[i], write, steps)) {
      const TensorType &into = graph.type(graph.inputs[write.input].cls);
      Step store;
      store.kernel = kernels.add(kernelize::storeProgram(typeOf(values[i]), write.map, into), 0);
      store.inputs = {values[i]};
      store.writeTo = static_cast<int64_t>(write.input);
      store.label = write.origin;
      steps.push_back(std::move(store));
    }
  }
}

kernelize::ClassId Buffers::kept(ClassId cls, const graph::Write &write, std::vector<Step> &steps) {
  auto input = inputIndex.find(placeOf(cls).root);
  if (input == inputIndex.end() || !built.plan.inputs[input->second].written) {
    return cls;
  }
  ClassId copied = addValue(graph.type(cls));
  Step copy;
  copy.kernel = kernels.add(kernelize::copyProgram(graph.type(cls)), 0);
  copy.inputs = {cls};
  copy.outputs = {copied};
  copy.label = write.origin;
  steps.push_back(std::move(copy));
  return copied;
}

bool Buffers::touches(const std::vector<ClassId> &classes, ClassId root) const {
  return std::any_of(classes.begin(), classes.end(),
                     [&](ClassId cls) { return placeOf(cls).root == root; });
}

size_t Buffers::firstWrite(ClassId root, const std::vector<Step> &steps) const {
  auto found = std::find_if(steps.begin(), steps.end(),
                            [&](const Step &step) { return touches(step.outputs, root); });
  return static_cast<size_t>(found - steps.begin());
}

std::optional<size_t> Buffers::lastRead(ClassId root, const std::vector<Step> &steps) const {
  for (size_t step = steps.size(); step-- > 0;) {
    if (touches(steps[step].inputs, root)) {
      return step;
    }
  }
  return std::nullopt;
}

bool Buffers::overwrite(Step &step, ClassId root, ClassId input, int64_t start) {
  std::optional<size_t> in;
  std::optional<size_t> out;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (placeOf(step.inputs[i]).root != input) {
      continue;
    }
    if (in) {
      return false; // by two ports
    }
    in = i;
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    out = step.outputs[i] == root ? i : out;
  }
  if (!in || !out || step.copyTo >= 0 || step.writeTo >= 0) {
    return false;
  }
  auto bytes = static_cast<int64_t>(placeOf(step.inputs[*in]).offset);
  std::optional<int64_t> first =
      dim::exactQuotient(bytes, static_cast<int64_t>(byteSize(typeOf(root).dtype)));
  if (!first) {
    return false;
  }
  std::optional<kernelize::Program> program =
      kernelize::inPlace(kernels.program(step.kernel), static_cast<uint32_t>(*in),
                         static_cast<uint32_t>(step.inputs.size() + *out), dim::sub(start, *first));
  if (!program) {
    return false;
  }
  step.kernel = kernels.add(*program, kernels.picoseconds(step.kernel));
  step.inputs.erase(step.inputs.begin() + static_cast<ptrdiff_t>(*in));
  return true;
}

bool Buffers::placeInInput(ClassId cls, const graph::Write &write, std::vector<Step> &steps) {
  ClassId input = graph.find(graph.inputs[write.input].cls);
  auto isSame = [&](const graph::Write &other) {
    return other.input == write.input;
  };
  Place place = placeOf(cls);
  const TensorType &type = typeOf(cls);
  std::optional<int64_t> offset =
      graph::aliasOffset(write.map, type.shape, graph.type(input).shape);
  bool isOnly = std::count_if(graph.writes.begin(), graph.writes.end(), isSame) == 1;
  bool isWhole = place.offset == 0 && typeOf(place.root).byteSize() == type.byteSize();
  size_t first = firstWrite(place.root, steps);
  std::optional<size_t> last = lastRead(input, steps);
  if (!offset || !isOnly || !isWhole || isElsewhere(place.root) || isPrepared(place.root) ||
      last > std::optional(first)) {
    return false;
  }
  if (last == std::optional(first) && !overwrite(steps[first], place.root, input, *offset)) {
    return false;
  }
  auto bytes = static_cast<int64_t>(byteSize(type.dtype));
  inputPlace.emplace(place.root,
                     std::pair(write.input, static_cast<uint64_t>(dim::mul(*offset, bytes))));
  return true;
}

//===- The arena ------------------------------------------------------------------------------===//

void Buffers::placeArena(const std::vector<Step> &steps) {
  std::map<ClassId, size_t> lifetimeOf;
  std::vector<ClassId> roots;
  std::vector<rt::Lifetime> lifetimes;
  bool isOpen = false;
  for (size_t step = 0; step < steps.size(); ++step) {
    for (const std::vector<ClassId> *list : {&steps[step].inputs, &steps[step].outputs}) {
      for (ClassId cls : *list) {
        bool isEmptyResult = list == &steps[step].outputs && isEmpty(cls);
        ClassId root = isEmptyResult ? cls : placeOf(cls).root;
        if (isElsewhere(root) && !isEmptyResult) {
          continue;
        }
        auto [entry, isNew] = lifetimeOf.try_emplace(root, lifetimes.size());
        if (isNew) {
          roots.push_back(root);
          lifetimes.push_back({typeOf(root).byteSize(), step, step});
          isOpen |= !isEmptyResult && dim::anySymbolic(typeOf(root).shape);
        }
        lifetimes[entry->second].last = step;
      }
    }
  }
  if (isOpen) { // places follow when the sizes are known
    arenaBuffer = std::move(lifetimeOf);
    built.plan.lifetimes = std::move(lifetimes);
    return;
  }
  built.liveBytes = rt::liveBytes(lifetimes);
  std::vector<uint64_t> offsets = rt::packLifetimes(lifetimes, built.plan.arenaBytes);
  for (size_t i = 0; i < roots.size(); ++i) {
    arenaOffset.emplace(roots[i], offsets[i]);
  }
}

//===- Places ---------------------------------------------------------------------------------===//

uint32_t Buffers::constantNumber(ClassId root, const Tensor &constant) {
  auto [entry, isNew] =
      constantIndex.try_emplace(root, static_cast<uint32_t>(built.plan.constants.size()));
  if (isNew) {
    // Without elements it has no bytes, whatever its open dims are: a plan's constants have sizes.
    built.plan.constants.push_back(
        constant.numElements() == 0 ? Tensor::zeros({constant.dtype(), {0}}) : constant);
  }
  return entry->second;
}

bool Buffers::isEmpty(ClassId cls) const {
  return typeOf(cls).numElements() == 0;
}

Expected<rt::BufferRef> Buffers::ofResult(ClassId cls) {
  if (!isEmpty(cls)) {
    return of(cls);
  }
  rt::BufferRef nothing;
  if (auto lifetime = arenaBuffer.find(cls); lifetime != arenaBuffer.end()) {
    nothing.index = static_cast<uint32_t>(lifetime->second);
  }
  return nothing;
}

Expected<rt::BufferRef> Buffers::of(ClassId cls) {
  Place place = placeOf(cls);
  rt::BufferRef buffer;
  buffer.offset = place.offset;
  buffer.bytes = typeOf(cls).byteSize();
  if (auto input = inputIndex.find(place.root); input != inputIndex.end()) {
    buffer.space = rt::Space::Input;
    buffer.index = static_cast<uint32_t>(input->second);
  } else if (auto known = constants.find(place.root); known != constants.end()) {
    buffer.space = rt::Space::Constant;
    buffer.index = constantNumber(place.root, known->second);
  } else if (const Tensor *constant = isGiven(place.root) ? graph.constant(place.root) : nullptr) {
    buffer.space = rt::Space::Constant;
    buffer.index = constantNumber(place.root, *constant);
  } else if (auto output = outputOf.find(place.root); output != outputOf.end()) {
    buffer.space = rt::Space::Output;
    buffer.index = static_cast<uint32_t>(output->second);
  } else if (auto written = inputPlace.find(place.root); written != inputPlace.end()) {
    buffer.space = rt::Space::Input;
    buffer.index = static_cast<uint32_t>(written->second.first);
    buffer.offset = addBytes(buffer.offset, written->second.second);
  } else if (auto at = preparedOffset.find(place.root); at != preparedOffset.end()) {
    buffer.space = rt::Space::Prepared;
    buffer.offset += at->second;
  } else if (auto arena = arenaOffset.find(place.root); arena != arenaOffset.end()) {
    buffer.offset += arena->second;
  } else if (auto lifetime = arenaBuffer.find(place.root); lifetime != arenaBuffer.end()) {
    buffer.index = static_cast<uint32_t>(lifetime->second);
  } else {
    return makeError(ErrorCode::Internal, "class {} is read but has no place", cls);
  }
  for (uint64_t size : {buffer.offset, buffer.bytes}) {
    if (!dim::isValid(static_cast<int64_t>(size))) {
      return makeError(ErrorCode::Unsupported,
                       "the bytes of {} are too long a formula: give sizes with --dim NAME=SIZE",
                       toString(typeOf(cls)));
    }
  }
  return buffer;
}

} // namespace zyxc::plan
