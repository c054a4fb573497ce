#include "compiler/codegen/gpu/LaunchRecord.h"
#include "passes/lower/tile/GpuFunction.h"
#include <algorithm>

using namespace mlir;

namespace zyxc {

template <class T> static std::vector<T> integers(DictionaryAttr map, StringRef name) {
  std::vector<T> values;
  if (auto array = map.getAs<DenseI64ArrayAttr>(name)) {
    for (int64_t value : array.asArrayRef()) {
      values.push_back(static_cast<T>(value));
    }
  }
  return values;
}

static Expected<rt::MapType> mapType(Type type) {
  if (type && (type.isInteger(8) || (type.isFloat() && type.getIntOrFloatBitWidth() == 8))) {
    return rt::MapType::U8;
  }
  if (type && type.isF16()) {
    return rt::MapType::F16;
  }
  if (type && type.isBF16()) {
    return rt::MapType::BF16;
  }
  if (type && type.isF32()) {
    return rt::MapType::F32;
  }
  return makeError(ErrorCode::Internal, "a tensor map has no element type of TMA");
}

static Expected<rt::TensorMap> readMap(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  auto port = dictionary ? dictionary.getAs<IntegerAttr>("port") : IntegerAttr();
  if (!port) {
    return makeError(ErrorCode::Internal, "{} is an array of dictionaries with a port",
                     tensorMapsAttrName.str());
  }
  rt::TensorMap map;
  map.port = static_cast<uint32_t>(port.getInt());
  if (auto offset = dictionary.getAs<IntegerAttr>("offset")) {
    map.offset = static_cast<uint64_t>(offset.getInt());
  }
  map.dims = integers<uint64_t>(dictionary, "dims");
  map.strides = integers<uint64_t>(dictionary, "strides");
  map.box = integers<uint32_t>(dictionary, "box");
  if (auto swizzle = dictionary.getAs<IntegerAttr>("swizzle")) {
    map.swizzle = static_cast<uint32_t>(swizzle.getInt());
  }
  auto type = dictionary.getAs<TypeAttr>("type");
  ZYXC_ASSIGN(map.type, mapType(type ? type.getValue() : Type()));
  if (map.dims.empty() || map.box.size() != map.dims.size() ||
      map.strides.size() + 1 != map.dims.size()) {
    return makeError(ErrorCode::Internal,
                     "a tensor map needs dims, as many box sizes, and a stride "
                     "of each dim but the first");
  }
  return map;
}

/// A launch with its place in the order of launches.
static Expected<std::pair<int64_t, rt::GpuLaunch>> readLaunch(gpu::GPUFuncOp function) {
  std::pair<int64_t, rt::GpuLaunch> numbered;
  rt::GpuLaunch &launch = numbered.second;
  launch.entry = function.getName().str();
  if (auto order = function->getAttrOfType<IntegerAttr>(launchAttrName)) {
    numbered.first = order.getInt();
  }
  auto grid = function->getAttrOfType<DenseI64ArrayAttr>(gridAttrName);
  auto block = function.getKnownBlockSizeAttr();
  if (!grid || grid.size() != 3 || !block) {
    return makeError(ErrorCode::Internal, "{} needs {} of three sizes and known_block_size",
                     launch.entry, gridAttrName.str());
  }
  std::copy_n(grid.asArrayRef().begin(), 3, launch.grid.begin());
  launch.block = block[0];
  if (auto shared = function->getAttrOfType<IntegerAttr>(sharedBytesAttrName)) {
    launch.sharedBytes = static_cast<uint32_t>(shared.getInt());
  }
  launch.startsEarly = function->hasAttr(startsEarlyAttrName);
  if (auto maps = function->getAttrOfType<ArrayAttr>(tensorMapsAttrName)) {
    for (Attribute map : maps) {
      ZYXC_ASSIGN(rt::TensorMap read, readMap(map));
      launch.maps.push_back(std::move(read));
    }
  }
  return numbered;
}

/// A launch that exceeds the target.
static Status checkLimits(const rt::GpuLaunch &launch, const Target &target) {
  constexpr uint32_t maxRows = 65535; // blocks in the second and third dimension
  if (launch.block > target.maxThreads || launch.block == 0) {
    return makeError(ErrorCode::Unsupported, "{}: {} threads a block, {} allows {}", launch.entry,
                     launch.block, target.name, target.maxThreads);
  }
  if (launch.sharedBytes > target.sharedBytes) {
    return makeError(ErrorCode::Unsupported,
                     "{}: {} bytes of shared memory, {} has {}: take smaller tiles or fewer stages",
                     launch.entry, launch.sharedBytes, target.name, target.sharedBytes);
  }
  if (launch.grid[1] > maxRows || launch.grid[2] > maxRows) {
    return makeError(ErrorCode::Unsupported,
                     "{}: a grid of {} x {} x {} blocks, {} allows {} in "
                     "the second and third dimension",
                     launch.entry, launch.grid[0], launch.grid[1], launch.grid[2], target.name,
                     maxRows);
  }
  return Status::ok();
}

Expected<rt::GpuKernel> readLaunches(gpu::GPUModuleOp module, const Target &target) {
  rt::GpuKernel kernel;
  kernel.name = module.getName().str();
  if (auto bytes = module->getAttrOfType<IntegerAttr>(gpuScratchBytesAttrName)) {
    kernel.scratchBytes = static_cast<uint64_t>(bytes.getInt());
  }
  std::vector<std::pair<int64_t, rt::GpuLaunch>> launches;
  for (auto function : module.getOps<gpu::GPUFuncOp>()) {
    if (function.isKernel()) {
      ZYXC_ASSIGN(auto launch, readLaunch(function));
      ZYXC_RETURN_IF_ERROR(checkLimits(launch.second, target));
      launches.push_back(std::move(launch));
    }
  }
  std::sort(launches.begin(), launches.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  for (auto &launch : launches) {
    kernel.launches.push_back(std::move(launch.second));
  }
  if (kernel.launches.empty()) {
    return makeError(ErrorCode::Internal, "{}: no launch in the module", kernel.name);
  }
  return kernel;
}

} // namespace zyxc
