#include "runtime/plan/GpuHeader.h"
#include <algorithm>
#include <array>

namespace zyxc::rt {

/// Elements of the file's enums stand in the order of ours.
static_assert(static_cast<int>(file::CodeForm::Spirv) == static_cast<int>(GpuCodeForm::Spirv));
static_assert(static_cast<int>(file::MapType::F32) == static_cast<int>(MapType::F32));

namespace {

/// Reads the code of one kernel.
class GpuDecoder {
public:
  GpuDecoder(PlanKind kind, uint64_t segmentBytes, HeaderBudget &budget)
      : kind(kind), segmentBytes(segmentBytes), budget(budget) {}

  /// `numPorts`: of the launches of the kernel in the plan.
  Expected<std::vector<StoredGpuCode>> kernel(const file::GpuKernel &stored, size_t numPorts);

private:
  template <class T> Expected<std::vector<T>> numbers(const flatbuffers::Vector<T> &stored);
  Expected<TensorMap> map(const file::TensorMap &stored, size_t numPorts, bool hasScratch);
  Expected<GpuLaunch> launch(const file::GpuLaunch &stored, size_t numPorts, bool hasScratch);
  Status checkImage(const file::GpuCode &stored) const;
  Expected<StoredGpuCode> code(const file::GpuCode &stored, size_t numPorts);

  PlanKind kind;
  uint64_t segmentBytes;
  HeaderBudget &budget;
};

} // namespace

template <class T>
Expected<std::vector<T>> GpuDecoder::numbers(const flatbuffers::Vector<T> &stored) {
  ZYXC_RETURN_IF_ERROR(budget.spend(stored.size() * sizeof(T)));
  bool aligned = reinterpret_cast<uintptr_t>(stored.Data()) % alignof(T) == 0;
  if (stored.size() > 0 && !aligned) {
    return malformed("a list is not aligned");
  }
  return std::vector<T>(stored.begin(), stored.end());
}

Expected<TensorMap> GpuDecoder::map(const file::TensorMap &stored, size_t numPorts,
                                    bool hasScratch) {
  ZYXC_RETURN_IF_ERROR(budget.spend(sizeof(flatbuffers::uoffset_t)));
  TensorMap map;
  map.port = stored.port();
  map.offset = stored.offset();
  map.swizzle = stored.swizzle();
  ZYXC_ASSIGN(map.dims, numbers(*stored.dims()));
  ZYXC_ASSIGN(map.strides, numbers(*stored.strides()));
  ZYXC_ASSIGN(map.box, numbers(*stored.box()));
  constexpr size_t mostDims = 5;
  constexpr std::array<uint32_t, 4> swizzles = {0, 32, 64, 128};
  bool fits = !map.dims.empty() && map.dims.size() <= mostDims &&
              map.box.size() == map.dims.size() && map.strides.size() + 1 == map.dims.size();
  bool known = stored.type() <= file::MapType::MAX &&
               std::find(swizzles.begin(), swizzles.end(), map.swizzle) != swizzles.end();
  if (kind != PlanKind::Cuda || !fits || !known || map.port >= numPorts + size_t(hasScratch) ||
      map.offset > mostPlanBytes) {
    return malformed("a tensor map of port {}", map.port);
  }
  map.type = static_cast<MapType>(stored.type());
  return map;
}

Expected<GpuLaunch> GpuDecoder::launch(const file::GpuLaunch &stored, size_t numPorts,
                                       bool hasScratch) {
  ZYXC_RETURN_IF_ERROR(budget.spend(sizeof(flatbuffers::uoffset_t)));
  GpuLaunch launch;
  ZYXC_ASSIGN(launch.entry, budget.text(*stored.entry()));
  launch.grid = {stored.grid_x(), stored.grid_y(), stored.grid_z()};
  launch.block = stored.block();
  launch.sharedBytes = stored.shared_bytes();
  launch.startsEarly = stored.starts_early();
  constexpr uint32_t mostThreads = 1024, mostShared = 1 << 24;
  bool isName = !launch.entry.empty() && launch.entry.find('\0') == std::string::npos;
  if (!isName || launch.block == 0 || launch.block > mostThreads ||
      launch.sharedBytes > mostShared) {
    return malformed("a launch of {} threads", launch.block);
  }
  if (stored.maps()) {
    for (const file::TensorMap *item : *stored.maps()) {
      ZYXC_ASSIGN(TensorMap read, map(*item, numPorts, hasScratch));
      launch.maps.push_back(std::move(read));
    }
  }
  return launch;
}

Status GpuDecoder::checkImage(const file::GpuCode &stored) const {
  bool ofKind = kind == PlanKind::Vulkan ? stored.form() == file::CodeForm::Spirv
                                         : stored.form() < file::CodeForm::Spirv;
  constexpr uint64_t wordBytes = 4;
  bool whole = stored.form() != file::CodeForm::Spirv || stored.length() % wordBytes == 0;
  bool placed = stored.length() > 0 && stored.offset() % planImageAlignment == 0 &&
                isWithin(stored.offset(), stored.length(), segmentBytes);
  return ofKind && whole && placed
             ? Status::ok()
             : malformed("code at {}+{} of {}", stored.offset(), stored.length(), segmentBytes);
}

Expected<StoredGpuCode> GpuDecoder::code(const file::GpuCode &stored, size_t numPorts) {
  ZYXC_RETURN_IF_ERROR(budget.spend(sizeof(flatbuffers::uoffset_t)));
  ZYXC_RETURN_IF_ERROR(checkImage(stored));
  StoredGpuCode result;
  result.offset = stored.offset();
  result.length = stored.length();
  GpuCode &code = result.code;
  code.form = static_cast<GpuCodeForm>(stored.form());
  if (stored.architecture()) {
    ZYXC_ASSIGN(code.architecture, budget.text(*stored.architecture()));
  }
  code.subgroupSize = stored.subgroup_size();
  code.loopTurns = stored.loop_turns();
  code.kernel.scratchBytes = stored.scratch_bytes();
  if (code.loopTurns < 0 || code.kernel.scratchBytes > mostPlanBytes ||
      stored.launches()->size() == 0) {
    return malformed("code with {} launches", stored.launches()->size());
  }
  for (const file::GpuLaunch *item : *stored.launches()) {
    ZYXC_ASSIGN(GpuLaunch read, launch(*item, numPorts, code.kernel.scratchBytes > 0));
    code.kernel.launches.push_back(std::move(read));
  }
  return result;
}

Expected<std::vector<StoredGpuCode>> GpuDecoder::kernel(const file::GpuKernel &stored,
                                                        size_t numPorts) {
  ZYXC_RETURN_IF_ERROR(budget.spend(sizeof(flatbuffers::uoffset_t)));
  std::vector<StoredGpuCode> codes;
  for (const file::GpuCode *item : *stored.codes()) {
    ZYXC_ASSIGN(StoredGpuCode read, code(*item, numPorts));
    codes.push_back(std::move(read));
  }
  return codes;
}

/// Ports of each kernel, by its launches, which must agree; 0 where nothing launches it.
static Expected<std::vector<size_t>> portCounts(const Plan &plan) {
  std::vector<size_t> counts(plan.kernels.size(), 0);
  std::vector<bool> seen(plan.kernels.size(), false);
  for (const std::vector<Launch> *launches : {&plan.prepare, &plan.steps}) {
    for (const Launch &launch : *launches) {
      size_t count = launch.ports.size();
      if (seen[launch.kernel] && counts[launch.kernel] != count) {
        return malformed("launches of kernel {} with {} and {} ports", launch.kernel,
                         counts[launch.kernel], count);
      }
      counts[launch.kernel] = count;
      seen[launch.kernel] = true;
    }
  }
  return counts;
}

Status decodeGpuCode(const file::Program &stored, uint64_t segmentBytes, HeaderBudget &budget,
                     PlanProgram &program) {
  const Plan &plan = program.plan;
  if (Status status = checkGpuPlan(plan); !status.isOk()) {
    return malformed("{}", status.message());
  }
  if (!stored.gpu() || stored.gpu()->size() != plan.kernels.size()) {
    return malformed("code of {} kernels of {}", stored.gpu() ? stored.gpu()->size() : 0,
                     plan.kernels.size());
  }
  ZYXC_ASSIGN(std::vector<size_t> numPorts, portCounts(plan));
  GpuDecoder decoder(program.target.kind, segmentBytes, budget);
  for (const file::GpuKernel *item : *stored.gpu()) {
    size_t kernel = program.gpu.size();
    ZYXC_ASSIGN(auto codes, decoder.kernel(*item, numPorts[kernel]));
    for (StoredGpuCode &read : codes) {
      read.code.kernel.name = plan.kernels[kernel].name;
    }
    program.gpu.push_back(std::move(codes));
  }
  return Status::ok();
}

} // namespace zyxc::rt
