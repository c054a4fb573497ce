#include "runtime/plan/PlanHeader.h"
#include "runtime/plan/PlanFile_generated.h"
#include "runtime/support/CpuFeatures.h"
#include <algorithm>

namespace zyxc::rt {

template <class T> using Fields = flatbuffers::Vector<flatbuffers::Offset<T>>;

/// No tensor, arena or scratch memory exceeds this, so that sums of them do not overflow.
static constexpr uint64_t mostBytes = uint64_t(1) << 48;
static constexpr int64_t mostTasks = int64_t(1) << 48;

/// Elements of the file's enum stand in the order of DType.
static_assert(static_cast<int>(file::ElementType::MAX) + 1 == numDTypes);
static_assert(static_cast<int>(file::ElementType::F16) == static_cast<int>(DType::F16));
static_assert(static_cast<int>(file::ElementType::F8E5M2) == static_cast<int>(DType::F8E5M2));
static_assert(static_cast<int>(file::ElementType::F4E2M1FN) == static_cast<int>(DType::F4E2M1FN));
static_assert(static_cast<int>(file::Space::Prepared) == static_cast<int>(Space::Prepared));

namespace {

/// Reads one header. What it makes is no larger than the header: tables that share parts, which no
/// writer makes, would let a small file ask for any amount of memory.
class Decoder {
public:
  Decoder(const file::Header &header, uint64_t headerBytes, uint64_t fileBytes)
      : header(header), headerBytes(headerBytes), fileBytes(fileBytes), budget(headerBytes) {}

  Expected<PlanHeader> run();

private:
  Status spend(uint64_t bytes);
  Expected<std::string> text(const flatbuffers::String &string);
  Expected<TensorType> type(const file::Type &stored);
  Expected<std::vector<NamedType>> ports(const Fields<file::Port> &stored);
  Status addSegments(PlanHeader &result);
  Status addConstants(const file::Program &stored, const PlanHeader &result, PlanProgram &program);
  Status addKernels(const file::Program &stored, PlanProgram &program);
  Status addCode(const file::Program &stored, const PlanHeader &result, PlanProgram &program);
  Expected<BufferRef> buffer(const file::BufferRef &stored, const PlanProgram &program);
  Status addLaunches(const Fields<file::Launch> &stored, const PlanProgram &program, bool isPrepare,
                     std::vector<Launch> &launches);
  Expected<PlanProgram> program(const file::Program &stored, const PlanHeader &result);

  const file::Header &header;
  uint64_t headerBytes, fileBytes, budget;
  std::vector<NamedType> inputs, outputs;
};

} // namespace

/// The file's own numbers disagree, although its checksums are right.
template <class... Args>
static Status malformed(fmt::format_string<Args...> format, Args &&...args) {
  return makeError(ErrorCode::Input, "malformed ({}): make it again with zyxc compile",
                   fmt::format(format, std::forward<Args>(args)...));
}

/// True if [offset, offset + length) lies in [0, size).
static bool isWithin(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

/// The verifier of FlatBuffers does not look at the alignment of a list's elements. An empty list
/// need not be aligned.
template <class T> static Status checkAligned(const flatbuffers::Vector<T> &list) {
  constexpr uintptr_t alignment = alignof(uint64_t);
  return list.size() == 0 || reinterpret_cast<uintptr_t>(list.Data()) % alignment == 0
             ? Status::ok()
             : malformed("a list is not aligned");
}

Status Decoder::spend(uint64_t bytes) {
  if (bytes > budget) {
    return malformed("parts of the header are used twice");
  }
  budget -= bytes;
  return Status::ok();
}

Expected<std::string> Decoder::text(const flatbuffers::String &string) {
  ZYXC_RETURN_IF_ERROR(spend(string.size()));
  return string.str();
}

Expected<TensorType> Decoder::type(const file::Type &stored) {
  if (stored.element() > file::ElementType::MAX) {
    return malformed("element type {}", static_cast<int>(stored.element()));
  }
  TensorType type;
  type.dtype = static_cast<DType>(stored.element());
  if (const auto *shape = stored.shape()) {
    ZYXC_RETURN_IF_ERROR(checkAligned(*shape));
    ZYXC_RETURN_IF_ERROR(spend(shape->size() * sizeof(int64_t)));
    type.shape.assign(shape->begin(), shape->end());
  }
  auto elements = checkedNumElements(type.shape);
  if (!elements || static_cast<uint64_t>(*elements) > mostBytes / byteSize(type.dtype)) {
    return malformed("shape {}", toString(type.shape));
  }
  return type;
}

Expected<std::vector<NamedType>> Decoder::ports(const Fields<file::Port> &stored) {
  std::vector<NamedType> list;
  uint64_t total = 0;
  for (const file::Port *port : stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    ZYXC_ASSIGN(std::string name, text(*port->name()));
    ZYXC_ASSIGN(TensorType portType, type(*port->type()));
    total += portType.byteSize();
    if (total > mostBytes) {
      return malformed("inputs or outputs of more than {} bytes", mostBytes);
    }
    list.push_back({std::move(name), std::move(portType)});
  }
  return list;
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
    if (stored->kind() == file::TargetKind::X86 && !isOf(stored->code(), file::SegmentKind::Code)) {
      return malformed("code in segment {}", stored->code());
    }
  }
  return Status::ok();
}

Status Decoder::addConstants(const file::Program &stored, const PlanHeader &result,
                             PlanProgram &program) {
  uint64_t available = result.segments[result.weightsSegment].length;
  for (const file::Constant *constant : *stored.constants()) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    ZYXC_ASSIGN(TensorType constantType, type(*constant->type()));
    uint64_t offset = constant->offset();
    if (offset % planConstantAlignment != 0 ||
        !isWithin(offset, constantType.byteSize(), available)) {
      return malformed("constant {} at {}", program.constants.size(), offset);
    }
    program.constants.push_back({std::move(constantType), offset});
  }
  return Status::ok();
}

Status Decoder::addKernels(const file::Program &stored, PlanProgram &program) {
  uint64_t textBytes = program.code.textBytes;
  for (const file::Kernel *item : *stored.kernels()) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    Kernel kernel;
    ZYXC_ASSIGN(kernel.name, text(*item->name()));
    kernel.numTasks = item->tasks();
    kernel.scratchBytes = item->scratch_bytes();
    kernel.picoseconds = item->picoseconds();
    kernel.join.numTasks = item->has_join() ? item->join_tasks() : 0;
    kernel.join.sharedBytes = item->shared_bytes();
    bool counts = kernel.numTasks >= 0 && kernel.numTasks <= mostTasks &&
                  kernel.join.numTasks >= 0 && kernel.join.numTasks <= mostTasks &&
                  kernel.picoseconds >= 0 && kernel.scratchBytes <= mostBytes &&
                  kernel.join.sharedBytes <= mostBytes;
    bool entries =
        item->entry() < textBytes && (!item->has_join() || item->join_entry() < textBytes);
    if (!counts || !entries) {
      return malformed("kernel {}", program.plan.kernels.size());
    }
    program.code.kernels.push_back({item->entry(), item->join_entry()});
    program.plan.kernels.push_back(std::move(kernel));
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

Expected<BufferRef> Decoder::buffer(const file::BufferRef &stored, const PlanProgram &program) {
  BufferRef ref;
  ref.index = stored.index();
  ref.offset = stored.offset();
  ref.bytes = stored.bytes();
  uint64_t available = 0;
  bool indexed = true;
  auto sizeOf = [&](const auto &list, auto bytes) {
    indexed = ref.index < list.size();
    available = indexed ? bytes(list[ref.index]) : 0;
  };
  auto ofPort = [](const NamedType &port) {
    return port.type.byteSize();
  };
  switch (stored.space()) {
  case file::Space::Input: sizeOf(inputs, ofPort); break;
  case file::Space::Output: sizeOf(outputs, ofPort); break;
  case file::Space::Constant:
    sizeOf(program.constants, [](const StoredConstant &c) { return c.type.byteSize(); });
    break;
  case file::Space::Arena: available = program.plan.arenaBytes; break;
  case file::Space::Prepared: available = program.plan.preparedBytes; break;
  default: return malformed("memory space {}", static_cast<int>(stored.space()));
  }
  ref.space = static_cast<Space>(stored.space());
  if (!indexed || !isWithin(ref.offset, ref.bytes, available)) {
    return malformed("buffer {}+{}:{} of space {}, which has {} bytes", ref.index, ref.offset,
                     ref.bytes, static_cast<int>(ref.space), available);
  }
  return ref;
}

Status Decoder::addLaunches(const Fields<file::Launch> &stored, const PlanProgram &program,
                            bool isPrepare, std::vector<Launch> &launches) {
  for (const file::Launch *item : stored) {
    ZYXC_RETURN_IF_ERROR(spend(sizeof(flatbuffers::uoffset_t)));
    Launch launch;
    launch.kernel = item->kernel();
    if (launch.kernel >= program.plan.kernels.size()) {
      return malformed("a launch of kernel {} of {}", launch.kernel, program.plan.kernels.size());
    }
    ZYXC_ASSIGN(launch.label, text(*item->label()));
    ZYXC_RETURN_IF_ERROR(checkAligned(*item->ports()));
    ZYXC_RETURN_IF_ERROR(spend(item->ports()->size() * sizeof(file::BufferRef)));
    for (const file::BufferRef *port : *item->ports()) {
      ZYXC_ASSIGN(BufferRef ref, buffer(*port, program));
      if (isPrepare && (ref.space == Space::Input || ref.space == Space::Output)) {
        return malformed("an input or output is used before a run");
      }
      launch.ports.push_back(ref);
    }
    launches.push_back(std::move(launch));
  }
  return Status::ok();
}

Expected<PlanProgram> Decoder::program(const file::Program &stored, const PlanHeader &result) {
  PlanProgram program;
  ZYXC_ASSIGN(program.target.name, text(*stored.target()));
  ZYXC_ASSIGN(std::string features, text(*stored.features()));
  program.target.features = splitFeatures(features);
  program.target.vectorBits = stored.vector_bits();
  Plan &plan = program.plan;
  plan.inputs = inputs;
  plan.outputs = outputs;
  plan.arenaBytes = stored.arena_bytes();
  plan.preparedBytes = stored.prepared_bytes();
  if (plan.arenaBytes > mostBytes || plan.preparedBytes > mostBytes) {
    return malformed("memory of {} and {} bytes", plan.arenaBytes, plan.preparedBytes);
  }
  ZYXC_RETURN_IF_ERROR(addConstants(stored, result, program));
  ZYXC_RETURN_IF_ERROR(addCode(stored, result, program));
  ZYXC_RETURN_IF_ERROR(addKernels(stored, program));
  ZYXC_RETURN_IF_ERROR(addLaunches(*stored.prepare(), program, true, plan.prepare));
  ZYXC_RETURN_IF_ERROR(addLaunches(*stored.steps(), program, false, plan.steps));
  return program;
}

Expected<PlanHeader> Decoder::run() {
  PlanHeader result;
  result.headerBytes = headerBytes;
  ZYXC_ASSIGN(result.compiler, text(*header.compiler()));
  ZYXC_ASSIGN(inputs, ports(*header.inputs()));
  ZYXC_ASSIGN(outputs, ports(*header.outputs()));
  ZYXC_RETURN_IF_ERROR(addSegments(result));
  // Each program has a copy of the inputs and outputs.
  if (header.programs()->size() > mostPlanTargets) {
    return malformed("{} targets", header.programs()->size());
  }
  for (const file::Program *stored : *header.programs()) {
    if (stored->kind() != file::TargetKind::X86) {
      continue; // of a later minor version
    }
    ZYXC_ASSIGN(PlanProgram read, program(*stored, result));
    result.programs.push_back(std::move(read));
  }
  return result;
}

Expected<PlanHeader> decodeHeader(std::span<const std::byte> bytes, uint64_t fileBytes) {
  constexpr flatbuffers::uoffset_t mostDepth = 8, mostTables = 1 << 24;
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), mostDepth, mostTables);
  if (!file::VerifyHeaderBuffer(verifier)) {
    return malformed("the header is no FlatBuffer of its schema");
  }
  return Decoder(*file::GetHeader(data), bytes.size(), fileBytes).run();
}

} // namespace zyxc::rt
