#include "runtime/plan/PlanHeader.h"
#include "runtime/plan/CheckControl.h"
#include "runtime/plan/GpuHeader.h"
#include "runtime/support/CpuFeatures.h"
#include <algorithm>

namespace zyxc::rt {

template <class T> using Fields = flatbuffers::Vector<flatbuffers::Offset<T>>;

/// Elements of the file's enum stand in the order of DType.
static_assert(static_cast<int>(file::ElementType::MAX) + 1 == numDTypes);
static_assert(static_cast<int>(file::ElementType::F16) == static_cast<int>(DType::F16));
static_assert(static_cast<int>(file::ElementType::F8E5M2) == static_cast<int>(DType::F8E5M2));
static_assert(static_cast<int>(file::ElementType::F4E2M1FN) == static_cast<int>(DType::F4E2M1FN));
static_assert(static_cast<int>(file::TargetKind::Vulkan) == static_cast<int>(PlanKind::Vulkan));
static_assert(static_cast<int>(file::Space::Prepared) == static_cast<int>(Space::Prepared));
static_assert(static_cast<int>(file::ControlKind::Loop) == static_cast<int>(Control::Kind::Loop));

namespace {

/// A plan, or a body of one, that is being read, and what it shares with the others of its target.
struct Part {
  const PlanHeader &header;
  PlanProgram &program;
  Plan &plan;
  std::vector<StoredConstant> constants;
  int depth; ///< 0: the plan
};

/// Reads one header. What it makes is no larger than the header.
class Decoder {
public:
  Decoder(const file::Header &header, uint64_t headerBytes, uint64_t fileBytes)
      : header(header), headerBytes(headerBytes), fileBytes(fileBytes), budget(headerBytes) {}

  Expected<PlanHeader> run();

private:
  Status spend(uint64_t bytes) { return budget.spend(bytes); }
  Expected<std::string> text(const flatbuffers::String &string) { return budget.text(string); }
  Status addSizes();
  Expected<int64_t> size(int64_t stored) const;
  Expected<std::vector<int64_t>> sizeList(const flatbuffers::Vector<int64_t> *stored);
  Expected<TensorType> type(const file::Type &stored);
  Expected<std::vector<NamedType>> ports(const Fields<file::Port> &stored, bool mayBeWritten);
  Status addSegments(PlanHeader &result);
  Status addConstants(const Fields<file::Constant> &stored, Part &part);
  Expected<Control> control(const file::Kernel &stored);
  Expected<Kernel> kernel(const file::Kernel &stored);
  Status addKernels(const Fields<file::Kernel> &stored, Part &part);
  Status addCode(const file::Program &stored, const PlanHeader &result, PlanProgram &program);
  Status addLifetimes(const flatbuffers::Vector<const file::Lifetime *> *stored, Plan &plan);
  Status addGuards(const Fields<file::Guard> *stored, Plan &plan);
  Status addBodies(const Fields<file::Body> *stored, Part &part);
  Expected<BufferRef> buffer(const file::BufferRef &stored, const Part &part);
  Expected<Launch> launch(const file::Launch &stored, const Part &part);
  Status addPrepare(const Fields<file::Launch> &stored, const Part &part);
  Status addSteps(const Fields<file::Launch> &stored, const Part &part);
  template <class Stored> Status addParts(const Stored &stored, Part part);
  Expected<PlanProgram> program(const file::Program &stored, const PlanHeader &result);

  const file::Header &header;
  uint64_t headerBytes, fileBytes;
  HeaderBudget budget;
  size_t numBodies = 0; ///< of a target
  std::vector<NamedType> inputs, outputs;
  std::vector<int64_t> sizes; ///< expressions
};

} // namespace

/// Expressions are as zyxc writes them: there is one text for each.
Status Decoder::addSizes() {
  if (!header.sizes()) {
    return Status::ok();
  }
  if (header.sizes()->size() > mostPlanSizes) {
    return malformed("{} sizes", header.sizes()->size());
  }
  size_t length = 0;
  for (const flatbuffers::String *stored : *header.sizes()) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    ZYXC_ASSIGN(std::string expression, text(*stored));
    length += expression.size();
    if (length > mostPlanSizeText) {
      return malformed("sizes of more than {} characters", mostPlanSizeText);
    }
    auto parsed = dim::parse(expression);
    if (!parsed || !dim::isSymbolic(*parsed) || dim::toString(*parsed) != expression) {
      return malformed("size {}", sizes.size());
    }
    sizes.push_back(*parsed);
  }
  return Status::ok();
}

/// The size that a number of the file stands for.
Expected<int64_t> Decoder::size(int64_t stored) const {
  if (dim::isSymbolic(stored)) { // of another process
    return malformed("a size of {}", stored);
  }
  if (stored >= 0 || sizes.empty()) {
    return stored;
  }
  auto number = static_cast<uint64_t>(-1 - stored);
  if (number >= sizes.size()) {
    return malformed("size {} of {}", number, sizes.size());
  }
  return sizes[number];
}

Expected<std::vector<int64_t>> Decoder::sizeList(const flatbuffers::Vector<int64_t> *stored) {
  std::vector<int64_t> list;
  if (!stored) {
    return list;
  }
  ZYXC_RETURN_IF_ERROR(checkAligned(*stored));
  ZYXC_RETURN_IF_ERROR(spend(stored->size() * sizeof(int64_t)));
  for (int64_t number : *stored) {
    ZYXC_ASSIGN(int64_t value, size(number));
    list.push_back(value);
  }
  return list;
}

/// True if the number of bytes is within what may be; what is symbolic is checked when it is bound.
static bool isByteCount(uint64_t bytes) {
  return bytes <= mostPlanBytes || dim::isSymbolic(static_cast<int64_t>(bytes));
}

static bool isTaskCount(int64_t tasks) {
  return (tasks >= 0 && tasks <= mostPlanTasks) || dim::isSymbolic(tasks);
}

Expected<TensorType> Decoder::type(const file::Type &stored) {
  if (stored.element() > file::ElementType::MAX) {
    return malformed("element type {}", static_cast<int>(stored.element()));
  }
  TensorType type;
  type.dtype = static_cast<DType>(stored.element());
  ZYXC_ASSIGN(type.shape, sizeList(stored.shape()));
  auto elements = checkedNumElements(type.shape);
  if (!elements || !dim::isValid(static_cast<int64_t>(type.byteSize())) ||
      !isByteCount(type.byteSize())) {
    return malformed("shape {}", toString(type.shape));
  }
  return type;
}

Expected<std::vector<NamedType>> Decoder::ports(const Fields<file::Port> &stored,
                                                bool mayBeWritten) {
  std::vector<NamedType> list;
  uint64_t total = 0;
  for (const file::Port *port : stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    ZYXC_ASSIGN(std::string name, text(*port->name()));
    ZYXC_ASSIGN(TensorType portType, type(*port->type()));
    total += dim::anySymbolic(portType.shape) ? 0 : portType.byteSize();
    if (total > mostPlanBytes) {
      return malformed("inputs or outputs of more than {} bytes", mostPlanBytes);
    }
    if (port->written() && !mayBeWritten) {
      return malformed("output {} is a written input", list.size());
    }
    list.push_back({std::move(name), std::move(portType), port->written()});
  }
  return list;
}

/// Programs of other kinds are of a later minor version.
static bool isKnown(file::TargetKind kind) {
  return kind <= file::TargetKind::MAX;
}

/// Segments follow each other up to the end of the file, each at the next page.
Status Decoder::addSegments(PlanHeader &result) {
  ZYXC_RETURN_IF_ERROR(checkAligned(*header.segments()));
  uint64_t end = planPrefixBytes + headerBytes;
  for (const file::Segment *stored : *header.segments()) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(*stored)));
    PlanSegment segment{stored->offset(), stored->length(), stored->checksum()};
    if (segment.offset != alignPlanBytes(end, planPageBytes) ||
        !isWithin(segment.offset, segment.length, fileBytes)) {
      return malformed("segment {} at {} of {} bytes in a file of {}", result.segments.size(),
                       segment.offset, segment.length, fileBytes);
    }
    end = segment.offset + segment.length;
    result.segments.push_back(segment);
  }
  if (end != fileBytes) {
    return malformed("segments end at {}, the file at {}", end, fileBytes);
  }
  auto isOf = [&](uint32_t index, file::SegmentKind kind) {
    return index < result.segments.size() && header.segments()->Get(index)->kind() == kind;
  };
  result.weightsSegment = header.weights();
  if (!isOf(result.weightsSegment, file::SegmentKind::Weights)) {
    return malformed("weights in segment {}", result.weightsSegment);
  }
  for (const file::Program *stored : *header.programs()) {
    if (isKnown(stored->kind()) && !isOf(stored->code(), file::SegmentKind::Code)) {
      return malformed("code in segment {}", stored->code());
    }
  }
  return Status::ok();
}

Status Decoder::addConstants(const Fields<file::Constant> &stored, Part &part) {
  uint64_t available = part.header.segments[part.header.weightsSegment].length;
  for (const file::Constant *constant : stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    ZYXC_ASSIGN(TensorType constantType, type(*constant->type()));
    uint64_t offset = constant->offset();
    if (dim::anySymbolic(constantType.shape) || offset % planConstantAlignment != 0 ||
        !isWithin(offset, constantType.byteSize(), available)) {
      return malformed("constant {} at {}", part.constants.size(), offset);
    }
    part.constants.push_back({std::move(constantType), offset});
  }
  part.program.constants.push_back(part.constants);
  return Status::ok();
}

/// What of it does not fit the bodies is found by checkControl.
Expected<Control> Decoder::control(const file::Kernel &stored) {
  Control control;
  control.kind = static_cast<Control::Kind>(stored.control());
  switch (stored.control()) {
  case file::ControlKind::None: return control;
  case file::ControlKind::If: control.bodies = {stored.body(), stored.else_body()}; break;
  case file::ControlKind::Loop: control.bodies = {stored.body()}; break;
  default: return malformed("control {}", static_cast<int>(stored.control()));
  }
  ZYXC_ASSIGN(control.limit, size(stored.limit()));
  control.numCarried = stored.carried();
  return control;
}

Expected<Kernel> Decoder::kernel(const file::Kernel &stored) {
  Kernel kernel;
  ZYXC_ASSIGN(kernel.name, text(*stored.name()));
  ZYXC_ASSIGN(kernel.numTasks, size(stored.tasks()));
  kernel.scratchBytes = stored.scratch_bytes();
  kernel.picoseconds = stored.picoseconds();
  ZYXC_ASSIGN(kernel.join.numTasks, size(stored.has_join() ? stored.join_tasks() : 0));
  ZYXC_ASSIGN(int64_t shared, size(static_cast<int64_t>(stored.shared_bytes())));
  kernel.join.sharedBytes = static_cast<uint64_t>(shared);
  ZYXC_ASSIGN(kernel.dims, sizeList(stored.dims()));
  ZYXC_ASSIGN(kernel.control, control(stored));
  if (stored.symbol()) {
    ZYXC_ASSIGN(kernel.symbol, text(*stored.symbol()));
  }
  if (stored.library()) {
    ZYXC_ASSIGN(kernel.library, text(*stored.library()));
  }
  return kernel;
}

Status Decoder::addKernels(const Fields<file::Kernel> &stored, Part &part) {
  PlanCode &code = part.program.code;
  for (const file::Kernel *item : stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    ZYXC_ASSIGN(Kernel read, kernel(*item));
    bool counts = isTaskCount(read.numTasks) && isTaskCount(read.join.numTasks) &&
                  read.picoseconds >= 0 && read.scratchBytes <= mostPlanBytes &&
                  isByteCount(read.join.sharedBytes) &&
                  std::all_of(read.dims.begin(), read.dims.end(), dim::isValid);
    bool isGpu = part.program.target.kind != PlanKind::X86; // entries are in its images
    bool entries = read.hasCode() && !isGpu
                       ? item->entry() < code.textBytes &&
                             (!item->has_join() || item->join_entry() < code.textBytes)
                       : item->entry() == 0 && item->join_entry() == 0 && !item->has_join();
    if (!counts || !entries) {
      return malformed("kernel {}", part.plan.kernels.size());
    }
    code.kernels.push_back({item->entry(), item->join_entry()});
    part.plan.kernels.push_back(std::move(read));
  }
  return Status::ok();
}

Status Decoder::addCode(const file::Program &stored, const PlanHeader &result,
                        PlanProgram &program) {
  program.codeSegment = stored.code();
  PlanCode &code = program.code;
  code.textBytes = stored.text_bytes();
  code.slotsOffset = stored.slots_offset();
  uint64_t length = result.segments[program.codeSegment].length;
  if (code.textBytes > code.slotsOffset || code.slotsOffset > length ||
      code.slotsOffset % planPageBytes != 0) {
    return malformed("code of {} bytes, slots at {}, in a segment of {}", code.textBytes,
                     code.slotsOffset, length);
  }
  for (const file::Import *import : *stored.imports()) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    SymbolSlot slot;
    ZYXC_ASSIGN(slot.symbol, text(*import->symbol()));
    slot.offset = import->slot();
    if (slot.offset < code.slotsOffset || slot.offset % sizeof(uint64_t) != 0 ||
        !isWithin(slot.offset, sizeof(uint64_t), length)) {
      return malformed("slot of {} at {}", slot.symbol, slot.offset);
    }
    code.slots.push_back(std::move(slot));
  }
  return Status::ok();
}

Status Decoder::addLifetimes(const flatbuffers::Vector<const file::Lifetime *> *stored,
                             Plan &plan) {
  if (!stored) {
    return Status::ok();
  }
  ZYXC_RETURN_IF_ERROR(checkAligned(*stored));
  ZYXC_RETURN_IF_ERROR(spend(stored->size() * sizeof(file::Lifetime)));
  for (const file::Lifetime *item : *stored) {
    ZYXC_ASSIGN(int64_t bytes, size(static_cast<int64_t>(item->bytes())));
    Lifetime lifetime{static_cast<uint64_t>(bytes), item->first(), item->last()};
    if (!isByteCount(lifetime.bytes) || lifetime.first > lifetime.last || plan.arenaBytes > 0) {
      return malformed("buffer {} of the arena", plan.lifetimes.size());
    }
    plan.lifetimes.push_back(lifetime);
  }
  return Status::ok();
}

Status Decoder::addGuards(const Fields<file::Guard> *stored, Plan &plan) {
  if (!stored) {
    return Status::ok();
  }
  for (const file::Guard *item : *stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    SizeGuard guard;
    ZYXC_ASSIGN(guard.size, size(item->size()));
    ZYXC_ASSIGN(guard.origin, text(*item->origin()));
    ZYXC_ASSIGN(guard.text, text(*item->text()));
    if (!dim::isValid(guard.size)) {
      return malformed("guard {}", plan.guards.size());
    }
    plan.guards.push_back(std::move(guard));
  }
  return Status::ok();
}

Status Decoder::addBodies(const Fields<file::Body> *stored, Part &part) {
  if (!stored) {
    return Status::ok();
  }
  if (part.depth == mostPlanDepth) {
    return malformed("bodies that are nested over {} deep", mostPlanDepth);
  }
  for (const file::Body *item : *stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    if (++numBodies > mostPlanBodies) {
      return malformed("over {} bodies", mostPlanBodies);
    }
    Plan &body = part.plan.bodies.emplace_back();
    ZYXC_ASSIGN(body.inputs, ports(*item->inputs(), true));
    ZYXC_ASSIGN(body.outputs, ports(*item->outputs(), false));
    ZYXC_RETURN_IF_ERROR(addParts(*item, {part.header, part.program, body, {}, part.depth + 1}));
  }
  return Status::ok();
}

Expected<BufferRef> Decoder::buffer(const file::BufferRef &stored, const Part &part) {
  BufferRef ref;
  ref.index = stored.index();
  ZYXC_ASSIGN(int64_t offset, size(static_cast<int64_t>(stored.offset())));
  ZYXC_ASSIGN(int64_t bytes, size(static_cast<int64_t>(stored.bytes())));
  ref.offset = static_cast<uint64_t>(offset);
  ref.bytes = static_cast<uint64_t>(bytes);
  uint64_t available = 0;
  bool indexed = true;
  auto sizeOf = [&](const auto &list, auto bytesOf) {
    indexed = ref.index < list.size();
    available = indexed ? bytesOf(list[ref.index]) : 0;
  };
  auto ofPort = [](const NamedType &port) {
    return port.type.byteSize();
  };
  switch (stored.space()) {
  case file::Space::Input: sizeOf(part.plan.inputs, ofPort); break;
  case file::Space::Output: sizeOf(part.plan.outputs, ofPort); break;
  case file::Space::Constant:
    sizeOf(part.constants, [](const StoredConstant &c) { return c.type.byteSize(); });
    break;
  case file::Space::Arena:
    available = part.plan.arenaBytes;
    if (!part.plan.lifetimes.empty()) {
      sizeOf(part.plan.lifetimes, [](const Lifetime &lifetime) { return lifetime.bytes; });
    }
    break;
  case file::Space::Prepared: available = part.plan.preparedBytes; break;
  default: return malformed("memory space {}", static_cast<int>(stored.space()));
  }
  ref.space = static_cast<Space>(stored.space());
  auto end = static_cast<int64_t>(available);
  bool isOpen = dim::isSymbolic(offset) || dim::isSymbolic(bytes) || dim::isSymbolic(end);
  if (!indexed || (!isOpen && !isWithin(ref.offset, ref.bytes, available))) {
    return malformed("buffer {}+{}:{} of space {}, which has {} bytes", ref.index, ref.offset,
                     ref.bytes, static_cast<int>(ref.space), available);
  }
  return ref;
}

Expected<Launch> Decoder::launch(const file::Launch &stored, const Part &part) {
  ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
  Launch launch;
  launch.kernel = stored.kernel();
  if (launch.kernel >= part.plan.kernels.size()) {
    return malformed("a launch of kernel {} of {}", launch.kernel, part.plan.kernels.size());
  }
  ZYXC_ASSIGN(launch.label, text(*stored.label()));
  ZYXC_RETURN_IF_ERROR(checkAligned(*stored.ports()));
  ZYXC_RETURN_IF_ERROR(spend(stored.ports()->size() * sizeof(file::BufferRef)));
  for (const file::BufferRef *port : *stored.ports()) {
    ZYXC_ASSIGN(BufferRef ref, buffer(*port, part));
    launch.ports.push_back(ref);
  }
  return launch;
}

/// What runs at load: neither inputs and outputs nor symbolic sizes are known then.
Status Decoder::addPrepare(const Fields<file::Launch> &stored, const Part &part) {
  for (const file::Launch *item : stored) {
    ZYXC_ASSIGN(Launch read, launch(*item, part));
    for (const BufferRef &ref : read.ports) {
      if (ref.space == Space::Input || ref.space == Space::Output) {
        return malformed("an input or output is used before a run");
      }
      bool isLater = ref.space == Space::Arena && !part.plan.lifetimes.empty();
      if (isLater || dim::isSymbolic(static_cast<int64_t>(ref.offset)) ||
          dim::isSymbolic(static_cast<int64_t>(ref.bytes))) {
        return malformed("a size is used before it is known");
      }
    }
    if (part.plan.kernels[read.kernel].isSymbolic()) {
      return malformed("a size of kernel {} is used before it is known", read.kernel);
    }
    part.plan.prepare.push_back(std::move(read));
  }
  return Status::ok();
}

Status Decoder::addSteps(const Fields<file::Launch> &stored, const Part &part) {
  const std::vector<Lifetime> &lifetimes = part.plan.lifetimes;
  for (const file::Launch *item : stored) {
    ZYXC_ASSIGN(Launch read, launch(*item, part));
    size_t step = part.plan.steps.size();
    for (const BufferRef &ref : read.ports) {
      if (ref.space == Space::Arena && !lifetimes.empty() &&
          (step < lifetimes[ref.index].first || step > lifetimes[ref.index].last)) {
        return malformed("buffer {} of the arena at step {}", ref.index, step);
      }
    }
    part.plan.steps.push_back(std::move(read));
  }
  return Status::ok();
}

/// What a plan and a body have alike.
template <class Stored> Status Decoder::addParts(const Stored &stored, Part part) {
  Plan &plan = part.plan;
  plan.arenaBytes = stored.arena_bytes();
  plan.preparedBytes = stored.prepared_bytes();
  if (plan.arenaBytes > mostPlanBytes || plan.preparedBytes > mostPlanBytes) {
    return malformed("memory of {} and {} bytes", plan.arenaBytes, plan.preparedBytes);
  }
  ZYXC_RETURN_IF_ERROR(addConstants(*stored.constants(), part));
  ZYXC_RETURN_IF_ERROR(addKernels(*stored.kernels(), part));
  ZYXC_RETURN_IF_ERROR(addLifetimes(stored.lifetimes(), plan));
  ZYXC_RETURN_IF_ERROR(addGuards(stored.guards(), plan));
  ZYXC_RETURN_IF_ERROR(addPrepare(*stored.prepare(), part));
  ZYXC_RETURN_IF_ERROR(addSteps(*stored.steps(), part));
  return addBodies(stored.bodies(), part);
}

Expected<PlanProgram> Decoder::program(const file::Program &stored, const PlanHeader &result) {
  PlanProgram program;
  ZYXC_ASSIGN(program.target.name, text(*stored.target()));
  ZYXC_ASSIGN(std::string features, text(*stored.features()));
  program.target.features = splitFeatures(features);
  program.target.vectorBits = stored.vector_bits();
  program.target.kind = static_cast<PlanKind>(stored.kind());
  program.plan.inputs = inputs;
  program.plan.outputs = outputs;
  numBodies = 0;
  ZYXC_RETURN_IF_ERROR(addCode(stored, result, program));
  ZYXC_RETURN_IF_ERROR(addParts(stored, {result, program, program.plan, {}, 0}));
  ZYXC_RETURN_IF_ERROR(checkControl(program.plan));
  if (program.target.kind != PlanKind::X86) {
    uint64_t segmentBytes = result.segments[program.codeSegment].length;
    ZYXC_RETURN_IF_ERROR(decodeGpuCode(stored, segmentBytes, budget, program));
  }
  return program;
}

Expected<PlanHeader> Decoder::run() {
  PlanHeader result;
  result.headerBytes = headerBytes;
  ZYXC_ASSIGN(result.compiler, text(*header.compiler()));
  ZYXC_RETURN_IF_ERROR(addSizes());
  ZYXC_ASSIGN(inputs, ports(*header.inputs(), true));
  ZYXC_ASSIGN(outputs, ports(*header.outputs(), false));
  ZYXC_RETURN_IF_ERROR(addSegments(result));
  // Each program has a copy of the inputs and outputs.
  if (header.programs()->size() > mostPlanTargets) {
    return malformed("{} targets", header.programs()->size());
  }
  for (const file::Program *stored : *header.programs()) {
    if (!isKnown(stored->kind())) {
      continue;
    }
    ZYXC_ASSIGN(PlanProgram read, program(*stored, result));
    result.programs.push_back(std::move(read));
  }
  return result;
}

Expected<PlanHeader> decodeHeader(std::span<const std::byte> bytes, uint64_t fileBytes) {
  constexpr flatbuffers::uoffset_t mostDepth = 8 + mostPlanDepth, mostTables = 1 << 24;
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), mostDepth, mostTables);
  if (!file::VerifyHeaderBuffer(verifier)) {
    return malformed("the header is no FlatBuffer of its schema");
  }
  return Decoder(*file::GetHeader(data), bytes.size(), fileBytes).run();
}

} // namespace zyxc::rt
