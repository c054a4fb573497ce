#include "compiler/plan/PlanWriter.h"
#include "compiler/plan/GpuTables.h"
#include "runtime/support/File.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace zyxc::plan {

namespace file = rt::file;
using flatbuffers::Offset;

namespace {

/// The pieces of the weights segment, constants and the zeros between them, none copied.
class Weights {
public:
  /// Where the constant's bytes are; the same bytes are added once.
  uint64_t add(const Tensor &constant) {
    std::string_view bytes(reinterpret_cast<const char *>(constant.data()), constant.byteSize());
    if (bytes.empty()) {
      return 0;
    }
    std::vector<uint64_t> &equal = places[std::pair(constant.hash(), bytes.size())];
    for (uint64_t place : equal) {
      if (content.at(place) == bytes) {
        return place;
      }
    }
    pad(rt::planConstantAlignment);
    uint64_t offset = length;
    equal.push_back(offset);
    content.emplace(offset, bytes);
    append(bytes);
    return offset;
  }

  uint64_t size() const { return length; }
  const std::vector<std::string_view> &pieces() const { return parts; }

private:
  void append(std::string_view bytes) {
    parts.push_back(bytes);
    length += bytes.size();
  }
  void pad(uint64_t alignment) {
    static constexpr char zeros[rt::planConstantAlignment] = {};
    append({zeros, rt::alignPlanBytes(length, alignment) - length});
  }

  std::map<std::pair<uint64_t, size_t>, std::vector<uint64_t>> places; ///< by hash and size
  std::map<uint64_t, std::string_view> content;
  std::vector<std::string_view> parts;
  uint64_t length = 0;
};

/// The expressions of a file, in the order of their first use.
class Sizes {
public:
  /// A size as it stands in the file.
  int64_t stored(int64_t size) {
    if (!dim::isSymbolic(size)) {
      return size;
    }
    auto [entry, isNew] = places.try_emplace(size, static_cast<int64_t>(texts.size()));
    if (isNew) {
      texts.push_back(dim::toString(size));
      length += texts.back().size();
    }
    return -1 - entry->second;
  }
  uint64_t stored(uint64_t size) {
    return static_cast<uint64_t>(stored(static_cast<int64_t>(size)));
  }
  std::vector<int64_t> stored(std::vector<int64_t> sizes) {
    for (int64_t &size : sizes) {
      size = stored(size);
    }
    return sizes;
  }

  const std::vector<std::string> &all() const { return texts; }
  bool canBeRead() const {
    return texts.size() <= rt::mostPlanSizes && length <= rt::mostPlanSizeText;
  }

private:
  std::map<int64_t, int64_t> places;
  std::vector<std::string> texts;
  size_t length = 0;
};

/// Adds the tables of the header to a builder.
class HeaderBuilder {
public:
  explicit HeaderBuilder(Weights &weights) : weights(weights) {}

  Offset<file::Program> program(const SavedProgram &saved, uint32_t codeSegment);
  void finish(std::string_view compiler, const rt::Plan &first,
              const std::vector<file::Segment> &segments,
              const std::vector<Offset<file::Program>> &programs);

  flatbuffers::FlatBufferBuilder builder;
  Sizes sizes;

private:
  Offset<flatbuffers::String> text(std::string_view string) {
    return builder.CreateString(string.data(), string.size());
  }
  Offset<file::Type> type(const TensorType &tensor) {
    auto shape = builder.CreateVector(sizes.stored(tensor.shape));
    return file::CreateType(builder, static_cast<file::ElementType>(tensor.dtype), shape);
  }
  auto ports(const std::vector<rt::NamedType> &list);
  auto launches(const std::vector<rt::Launch> &list);
  std::vector<Offset<file::Constant>> constants(const rt::Plan &plan);
  std::vector<Offset<file::Kernel>> kernels(const rt::Plan &plan);
  Offset<flatbuffers::Vector<Offset<file::Body>>> bodies(const rt::Plan &plan);
  Offset<flatbuffers::Vector<const file::Lifetime *>>
  lifetimes(const std::vector<rt::Lifetime> &list);
  Offset<flatbuffers::Vector<Offset<file::Guard>>> guards(const std::vector<rt::SizeGuard> &list);
  Offset<file::Kernel> kernel(const rt::Kernel &kernel, const rt::KernelOffsets &code);

  Weights &weights;
  const rt::KernelOffsets *code = nullptr; ///< of the next kernel of the program
};

} // namespace

auto HeaderBuilder::ports(const std::vector<rt::NamedType> &list) {
  std::vector<Offset<file::Port>> stored;
  for (const rt::NamedType &port : list) {
    auto name = text(port.name);
    stored.push_back(file::CreatePort(builder, name, type(port.type), port.written));
  }
  return builder.CreateVector(stored);
}

auto HeaderBuilder::launches(const std::vector<rt::Launch> &list) {
  std::vector<Offset<file::Launch>> stored;
  for (const rt::Launch &launch : list) {
    std::vector<file::BufferRef> refs;
    refs.reserve(launch.ports.size());
    for (const rt::BufferRef &ref : launch.ports) {
      refs.emplace_back(sizes.stored(ref.offset), sizes.stored(ref.bytes), ref.index,
                        static_cast<file::Space>(ref.space));
    }
    auto ports = builder.CreateVectorOfStructs(refs);
    stored.push_back(file::CreateLaunch(builder, launch.kernel, ports, text(launch.label)));
  }
  return builder.CreateVector(stored);
}

Offset<file::Kernel> HeaderBuilder::kernel(const rt::Kernel &kernel,
                                           const rt::KernelOffsets &code) {
  auto name = text(kernel.name);
  Offset<flatbuffers::Vector<int64_t>> dims; // left out where there are none
  if (!kernel.dims.empty()) {
    dims = builder.CreateVector(sizes.stored(kernel.dims));
  }
  Offset<flatbuffers::String> symbol;
  if (!kernel.symbol.empty()) {
    symbol = text(kernel.symbol);
  }
  Offset<flatbuffers::String> library;
  if (!kernel.library.empty()) {
    library = text(kernel.library);
  }
  bool hasJoin = kernel.join.entry != nullptr;
  const rt::Control &control = kernel.control;
  bool isIf = control.kind == rt::Control::Kind::If;
  return file::CreateKernel(
      builder, name, code.entry, sizes.stored(kernel.numTasks), kernel.scratchBytes,
      sizes.stored(kernel.join.sharedBytes), kernel.picoseconds, hasJoin, hasJoin ? code.join : 0,
      hasJoin ? sizes.stored(kernel.join.numTasks) : 0, dims,
      static_cast<file::ControlKind>(control.kind), control.bodies.empty() ? 0 : control.bodies[0],
      isIf ? control.bodies[1] : 0, sizes.stored(control.limit), control.numCarried, symbol,
      library);
}

Offset<flatbuffers::Vector<const file::Lifetime *>>
HeaderBuilder::lifetimes(const std::vector<rt::Lifetime> &list) {
  std::vector<file::Lifetime> stored;
  stored.reserve(list.size());
  for (const rt::Lifetime &lifetime : list) {
    stored.emplace_back(sizes.stored(lifetime.bytes), static_cast<uint32_t>(lifetime.first),
                        static_cast<uint32_t>(lifetime.last));
  }
  return list.empty() ? 0 : builder.CreateVectorOfStructs(stored);
}

Offset<flatbuffers::Vector<Offset<file::Guard>>>
HeaderBuilder::guards(const std::vector<rt::SizeGuard> &list) {
  std::vector<Offset<file::Guard>> stored;
  stored.reserve(list.size());
  for (const rt::SizeGuard &guard : list) {
    auto origin = text(guard.origin);
    stored.push_back(
        file::CreateGuard(builder, sizes.stored(guard.size), origin, text(guard.text)));
  }
  return list.empty() ? 0 : builder.CreateVector(stored);
}

std::vector<Offset<file::Constant>> HeaderBuilder::constants(const rt::Plan &plan) {
  std::vector<Offset<file::Constant>> stored;
  stored.reserve(plan.constants.size());
  for (const Tensor &constant : plan.constants) {
    auto constantType = type(constant.type());
    stored.push_back(file::CreateConstant(builder, constantType, weights.add(constant)));
  }
  return stored;
}

std::vector<Offset<file::Kernel>> HeaderBuilder::kernels(const rt::Plan &plan) {
  std::vector<Offset<file::Kernel>> stored;
  stored.reserve(plan.kernels.size());
  for (const rt::Kernel &item : plan.kernels) {
    stored.push_back(kernel(item, *code++));
  }
  return stored;
}

Offset<flatbuffers::Vector<Offset<file::Body>>> HeaderBuilder::bodies(const rt::Plan &plan) {
  std::vector<Offset<file::Body>> stored;
  for (const rt::Plan &body : plan.bodies) {
    auto inputs = ports(body.inputs);
    auto outputs = ports(body.outputs);
    auto storedConstants = builder.CreateVector(constants(body));
    auto storedKernels = builder.CreateVector(kernels(body));
    auto prepare = launches(body.prepare);
    auto steps = launches(body.steps);
    auto storedLifetimes = lifetimes(body.lifetimes);
    auto storedGuards = guards(body.guards);
    stored.push_back(file::CreateBody(builder, inputs, outputs, storedConstants, storedKernels,
                                      prepare, steps, body.arenaBytes, body.preparedBytes,
                                      storedLifetimes, storedGuards, bodies(body)));
  }
  return stored.empty() ? 0 : builder.CreateVector(stored);
}

Offset<file::Program> HeaderBuilder::program(const SavedProgram &saved, uint32_t codeSegment) {
  const rt::Plan &plan = *saved.plan;
  code = saved.layout.kernels.data();
  std::vector<Offset<file::Constant>> constants = this->constants(plan);
  std::vector<Offset<file::Kernel>> kernels = this->kernels(plan);
  std::vector<Offset<file::Import>> imports;
  imports.reserve(saved.layout.slots.size());
  for (const rt::SymbolSlot &slot : saved.layout.slots) {
    imports.push_back(file::CreateImport(builder, text(slot.symbol), slot.offset));
  }
  auto target = text(saved.target.name);
  auto features = text(fmt::format("{}", fmt::join(saved.target.features, ",")));
  auto storedImports = builder.CreateVector(imports);
  auto storedConstants = builder.CreateVector(constants);
  auto storedKernels = builder.CreateVector(kernels);
  auto prepare = launches(plan.prepare);
  auto steps = launches(plan.steps);
  auto storedLifetimes = lifetimes(plan.lifetimes);
  auto storedGuards = guards(plan.guards);
  auto storedBodies = bodies(plan);
  auto storedGpu = gpuTables(builder, saved.gpu);
  file::ProgramBuilder table(builder);
  table.add_target(target);
  table.add_kind(static_cast<file::TargetKind>(saved.target.kind));
  table.add_features(features);
  table.add_vector_bits(saved.target.vectorBits);
  table.add_code(codeSegment);
  table.add_text_bytes(saved.layout.textBytes);
  table.add_slots_offset(saved.layout.slotsOffset);
  table.add_imports(storedImports);
  table.add_constants(storedConstants);
  table.add_kernels(storedKernels);
  table.add_prepare(prepare);
  table.add_steps(steps);
  table.add_arena_bytes(plan.arenaBytes);
  table.add_prepared_bytes(plan.preparedBytes);
  table.add_lifetimes(storedLifetimes);
  table.add_guards(storedGuards);
  table.add_bodies(storedBodies);
  table.add_gpu(storedGpu);
  return table.Finish();
}

void HeaderBuilder::finish(std::string_view compiler, const rt::Plan &first,
                           const std::vector<file::Segment> &segments,
                           const std::vector<Offset<file::Program>> &programs) {
  auto version = text(compiler);
  auto inputs = ports(first.inputs);
  auto outputs = ports(first.outputs);
  auto storedSegments = builder.CreateVectorOfStructs(segments);
  auto storedPrograms = builder.CreateVector(programs);
  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> storedSizes;
  if (!sizes.all().empty()) {
    storedSizes = builder.CreateVectorOfStrings(sizes.all());
  }
  file::FinishHeaderBuffer(builder,
                           file::CreateHeader(builder, version, inputs, outputs, 0, storedSegments,
                                              storedPrograms, storedSizes));
}

/// Checksum of pieces that follow each other.
static uint32_t checksumOf(const std::vector<std::string_view> &pieces) {
  uint32_t checksum = rt::planChecksum({});
  for (std::string_view piece : pieces) {
    checksum = rt::planChecksum(std::as_bytes(std::span(piece)), checksum);
  }
  return checksum;
}

namespace {

/// A segment before the header's size, and so its place, is known.
struct Segment {
  std::vector<std::string_view> pieces;
  uint64_t length = 0;
  file::SegmentKind kind;
};

} // namespace

/// The header with its segments placed behind a header of `headerBytes` bytes.
static std::string buildHeader(std::string_view compiler, std::span<const SavedProgram> programs,
                               const std::vector<Segment> &segments,
                               const std::vector<uint32_t> &checksums, uint64_t headerBytes,
                               Weights &weights, bool &canBeRead) {
  std::vector<file::Segment> placed;
  uint64_t end = rt::planPrefixBytes + headerBytes;
  for (size_t i = 0; i < segments.size(); ++i) {
    uint64_t offset = rt::alignPlanBytes(end, rt::planPageBytes);
    placed.emplace_back(offset, segments[i].length, checksums[i], segments[i].kind);
    end = offset + segments[i].length;
  }
  HeaderBuilder header(weights);
  std::vector<Offset<file::Program>> stored;
  stored.reserve(programs.size());
  for (uint32_t i = 0; i < programs.size(); ++i) {
    stored.push_back(header.program(programs[i], i + 1));
  }
  header.finish(compiler, *programs[0].plan, placed, stored);
  canBeRead = header.builder.GetSize() <= rt::mostPlanHeaderBytes && header.sizes.canBeRead();
  return {reinterpret_cast<const char *>(header.builder.GetBufferPointer()),
          header.builder.GetSize()};
}

/// The first version of the format that has what is in a plan.
static uint32_t majorVersionOf(const rt::Plan &plan, bool isOfGpu) {
  // Code of zyxc for GPUs is given no sizes; all library kernels are.
  for (const rt::Plan *part : rt::wholePlan(plan)) {
    for (const rt::Kernel &kernel : part->kernels) {
      if (!kernel.dims.empty() && (isOfGpu || !kernel.hasCode())) {
        return rt::customSizesPlanMajorVersion;
      }
    }
  }
  auto isWritten = [](const rt::NamedType &input) {
    return input.written;
  };
  auto hasNoCode = [](const rt::Kernel &kernel) {
    return !kernel.hasCode();
  };
  if (std::any_of(plan.inputs.begin(), plan.inputs.end(), isWritten) ||
      std::any_of(plan.kernels.begin(), plan.kernels.end(), hasNoCode)) {
    return rt::controlPlanMajorVersion;
  }
  return plan.isSymbolic() ? rt::symbolicPlanMajorVersion : rt::staticPlanMajorVersion;
}

Status writePlanFile(const std::string &path, std::string_view compiler,
                     std::span<const SavedProgram> programs) {
  Weights weights;
  for (const SavedProgram &program : programs) {
    for (const rt::Plan *part : rt::wholePlan(*program.plan)) {
      for (const Tensor &constant : part->constants) {
        weights.add(constant);
      }
    }
  }
  std::vector<Segment> segments;
  segments.push_back({weights.pieces(), weights.size(), file::SegmentKind::Weights});
  for (const SavedProgram &program : programs) {
    segments.push_back({{program.code}, program.code.size(), file::SegmentKind::Code});
  }
  std::vector<uint32_t> checksums;
  checksums.reserve(segments.size());
  for (const Segment &segment : segments) {
    checksums.push_back(checksumOf(segment.pieces));
  }
  // Places are of fixed width, so the header is as long with the right ones.
  bool canBeRead = false;
  std::string header = buildHeader(compiler, programs, segments, checksums, 0, weights, canBeRead);
  if (!canBeRead) {
    return makeError(ErrorCode::Unsupported,
                     "{}: the plan has too many launches or sizes to be saved", path);
  }
  uint64_t headerBytes = header.size();
  header = buildHeader(compiler, programs, segments, checksums, headerBytes, weights, canBeRead);
  assert(header.size() == headerBytes);

  static constexpr char zeros[rt::planPageBytes] = {};
  std::vector<std::string_view> parts = {{}, header};
  uint64_t end = rt::planPrefixBytes + headerBytes;
  for (const Segment &segment : segments) {
    parts.emplace_back(zeros, rt::alignPlanBytes(end, rt::planPageBytes) - end);
    parts.insert(parts.end(), segment.pieces.begin(), segment.pieces.end());
    end = rt::alignPlanBytes(end, rt::planPageBytes) + segment.length;
  }
  rt::PlanPrefix prefix;
  for (const SavedProgram &program : programs) {
    bool isOfGpu = program.target.kind != rt::PlanKind::X86;
    prefix.major = std::max(prefix.major, majorVersionOf(*program.plan, isOfGpu));
    if (isOfGpu) {
      prefix.minor = rt::gpuPlanMinorVersion;
    }
  }
  prefix.headerBytes = headerBytes;
  prefix.fileBytes = end;
  prefix.headerChecksum = rt::planChecksum(std::as_bytes(std::span(header)));
  auto encoded = rt::encodePrefix(prefix);
  parts[0] = {reinterpret_cast<const char *>(encoded.data()), encoded.size()};
  return writeFile(path, parts);
}

} // namespace zyxc::plan
