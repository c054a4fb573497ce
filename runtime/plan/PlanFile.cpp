#include "runtime/plan/PlanFile.h"
#include "runtime/routines/Symbols.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace zyxc::rt {

/// The header, aligned as its reader wants it and out of reach of who changes the file.
static std::vector<std::max_align_t> alignedCopy(std::span<const std::byte> bytes) {
  std::vector<std::max_align_t> copy(bytes.size() / sizeof(std::max_align_t) + 1);
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

static Status damaged(std::string_view what) {
  return makeError(ErrorCode::Input,
                   "damaged: {}: make it again with zyxc compile, or copy it again", what);
}

static Expected<PlanHeader> readHeader(std::span<const std::byte> file) {
  ZYXC_ASSIGN(PlanPrefix prefix, decodePrefix(file));
  if (prefix.fileBytes != file.size()) {
    return damaged(fmt::format("it has {} bytes of {}", file.size(), prefix.fileBytes));
  }
  if (prefix.headerBytes > std::min(mostPlanHeaderBytes, file.size() - planPrefixBytes)) {
    return damaged("its header exceeds it");
  }
  auto bytes = file.subspan(planPrefixBytes, prefix.headerBytes);
  std::vector<std::max_align_t> copy = alignedCopy(bytes);
  bytes = std::as_bytes(std::span(copy)).first(bytes.size());
  if (planChecksum(bytes) != prefix.headerChecksum) {
    return damaged("the checksum of its header is wrong");
  }
  return decodeHeader(bytes, file.size());
}

/// Every byte behind the header belongs to a segment, whose checksum it changes, or is zero.
Status PlanFile::checkSegments() const {
  std::span<const std::byte> file(bytes.data, bytes.size);
  uint64_t end = planPrefixBytes + header.headerBytes;
  for (const PlanSegment &segment : header.segments) {
    auto gap = file.subspan(end, segment.offset - end);
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte(0); })) {
      return damaged(fmt::format("bytes {} to {} are not zero", end, segment.offset));
    }
    if (planChecksum(file.subspan(segment.offset, segment.length)) != segment.checksum) {
      return damaged(fmt::format("the checksum of bytes {} to {} is wrong", segment.offset,
                                 segment.offset + segment.length));
    }
    end = segment.offset + segment.length;
  }
  return Status::ok();
}

Expected<PlanFile> PlanFile::open(const std::string &path) {
  ZYXC_ASSIGN(InputFile input, InputFile::open(path));
  PlanFile file;
  file.path = path;
  ZYXC_ASSIGN(file.bytes, input.map());
  auto header = readHeader({file.bytes.data, file.bytes.size});
  if (!header) {
    return std::move(header).error().withContext(path);
  }
  file.header = *std::move(header);
  if (Status status = file.checkSegments(); !status.isOk()) {
    return std::move(status).withContext(path);
  }
  if (file.header.programs.empty()) {
    return makeError(ErrorCode::Input, "{}: no target of a kind that this zyxc runs", path);
  }
  return file;
}

bool PlanFile::has(PlanKind kind) const {
  return std::any_of(header.programs.begin(), header.programs.end(),
                     [&](const PlanProgram &program) { return program.target.kind == kind; });
}

std::string PlanFile::names() const {
  std::string list;
  for (const PlanProgram &program : header.programs) {
    list += (list.empty() ? "" : ", ") + program.target.name;
  }
  return list;
}

static Status noTarget(const std::string &path, std::string_view name, std::string_view names) {
  return makeError(ErrorCode::Usage, "{}: the file has no target '{}': it has {}", path, name,
                   names);
}

Expected<size_t> PlanFile::choose(const GpuDeviceInfo &device, std::string_view name) const {
  std::string lacking;
  for (size_t i = 0; i < header.programs.size(); ++i) {
    const PlanTarget &target = header.programs[i].target;
    bool ofKind = target.name.starts_with(name) && target.name.substr(name.size(), 1) == ":";
    if (target.kind == PlanKind::X86 || (target.name != name && !ofKind)) {
      continue;
    }
    std::vector<std::string> missing = missingNeeds(target.features, device);
    if (missing.empty()) {
      return i;
    }
    lacking += fmt::format("{}{} needs {}", lacking.empty() ? "" : "; ", target.name,
                           fmt::join(missing, ", "));
  }
  if (lacking.empty()) {
    return noTarget(path, name, names());
  }
  return makeError(ErrorCode::Device,
                   "{}: no code in the file runs on {} ({}): {}: compile the model for another "
                   "--target",
                   path, device.name, device.target, lacking);
}

Expected<size_t> PlanFile::choose(const CpuFeatures &machine, std::string_view name) const {
  std::string lacking;
  const PlanTarget *best = nullptr;
  for (const PlanProgram &program : header.programs) {
    const PlanTarget &target = program.target;
    if (target.kind != PlanKind::X86 || (!name.empty() && target.name != name)) {
      continue;
    }
    std::vector<std::string> missing = machine.missing(target.features);
    if (!missing.empty()) {
      lacking += fmt::format("{}{} needs {}", lacking.empty() ? "" : "; ", target.name,
                             fmt::join(missing, ", "));
      continue;
    }
    auto rank = [](const PlanTarget &t) {
      return std::pair(t.vectorBits, t.features.size());
    };
    if (!best || rank(target) > rank(*best)) {
      best = &target;
    }
  }
  if (best) {
    auto isBest = [&](const PlanProgram &program) {
      return &program.target == best;
    };
    auto found = std::find_if(header.programs.begin(), header.programs.end(), isBest);
    return static_cast<size_t>(found - header.programs.begin());
  }
  if (lacking.empty()) {
    return noTarget(path, name.empty() ? "cpu" : name, names());
  }
  return makeError(ErrorCode::Device,
                   "{}: no code in the file runs on this processor: {}; it has {}: compile the "
                   "model for another --target",
                   path, lacking, fmt::join(machine.names(), ", "));
}

static Status refused(std::string_view what) {
  return makeError(ErrorCode::Device,
                   "the system refuses to {} of the file ({}): copy it to a file system that is "
                   "not mounted noexec",
                   what, std::strerror(errno));
}

/// Makes the mapped pages of a code segment what they are for. Their file stays as it is: the
/// addresses of functions go to private copies.
static Status makeExecutable(std::byte *segment, uint64_t length, const PlanCode &code) {
  std::byte *slots = segment + code.slotsOffset;
  uint64_t slotBytes = length - code.slotsOffset;
  if (!code.slots.empty() && ::mprotect(slots, slotBytes, PROT_READ | PROT_WRITE) != 0) {
    return refused("write to pages");
  }
  for (const SymbolSlot &slot : code.slots) {
    auto address = reinterpret_cast<uint64_t>(findSymbol(slot.symbol));
    if (address == 0) {
      return makeError(ErrorCode::Device,
                       "its code calls '{}', which this runtime has not: run it "
                       "with the zyxc that made it",
                       slot.symbol);
    }
    std::memcpy(segment + slot.offset, &address, sizeof(address));
  }
  if (!code.slots.empty() && ::mprotect(slots, slotBytes, PROT_READ) != 0) {
    return refused("protect pages");
  }
  if (::mprotect(segment, code.textBytes, PROT_READ | PROT_EXEC) != 0) {
    return refused("execute code");
  }
  return Status::ok();
}

Plan PlanFile::planOf(const PlanProgram &program) const {
  Plan plan = program.plan;
  std::vector<Plan *> plans = wholePlan(plan);
  for (size_t i = 0; i < plans.size(); ++i) {
    for (const StoredConstant &constant : program.constants[i]) {
      uint64_t offset = header.segments[header.weightsSegment].offset + constant.offset;
      plans[i]->constants.push_back(Tensor::view(constant.type, bytes.data + offset, bytes.owner));
    }
  }
  return plan;
}

Expected<GpuPlan> PlanFile::loadGpu(size_t target, const GpuDeviceInfo &device) const {
  const PlanProgram &program = header.programs[target];
  assert(program.target.kind != PlanKind::X86 && "a target of a GPU");
  GpuCodes codes;
  for (const std::vector<StoredGpuCode> &stored : program.gpu) {
    std::vector<GpuCode> &list = codes.emplace_back();
    for (const StoredGpuCode &one : stored) {
      list.push_back(one.code);
      uint64_t offset = header.segments[program.codeSegment].offset + one.offset;
      list.back().kernel.image.assign(reinterpret_cast<const char *>(bytes.data + offset),
                                      one.length);
    }
  }
  auto chosen = chooseCodes(planOf(program), codes, device);
  return chosen ? std::move(chosen) : std::move(chosen).error().withContext(path);
}

Expected<LoadedPlan> PlanFile::load(size_t target) const {
  const PlanProgram &program = header.programs[target];
  assert(program.target.kind == PlanKind::X86 && "a target of the host");
  LoadedPlan loaded{planOf(program), nullptr};
  const PlanSegment &segment = header.segments[program.codeSegment];
  // Segments are whole pages, so no other data becomes executable or writable.
  auto *code = const_cast<std::byte *>(bytes.data) + segment.offset;
  if (segment.length > 0) {
    if (Status status = makeExecutable(code, segment.length, program.code); !status.isOk()) {
      return std::move(status).withContext(path);
    }
  }
  auto entryAt = [&](uint64_t offset) {
    return reinterpret_cast<KernelFn>(code + offset);
  };
  const KernelOffsets *offsets = program.code.kernels.data();
  for (Plan *plan : wholePlan(loaded.plan)) {
    for (Kernel &kernel : plan->kernels) {
      if (kernel.hasCode()) {
        kernel.entry = entryAt(offsets->entry);
      }
      if (kernel.join.numTasks > 0) {
        kernel.join.entry = entryAt(offsets->join);
      }
      ++offsets;
    }
  }
  loaded.code = bytes.owner;
  return loaded;
}

} // namespace zyxc::rt
