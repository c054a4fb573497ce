// `zyxc kernel bundle`: a compiled kernel as files, for programs that launch it themselves.
#include "compiler/codegen/cuda/PtxCompiler.h"
#include "runtime/devices/cuda/CudaDevice.h"
#include "runtime/support/File.h"
#include "tools/zyxc/kernel/DimGrid.h"
#include "tools/zyxc/kernel/KernelCommand.h"
#include "tools/zyxc/kernel/KernelFile.h"
#include "tools/zyxc/kernel/targets/KernelRunner.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <fmt/core.h>

using namespace mlir;
using namespace zyxc::zyxk;
namespace json = llvm::json;

namespace zyxc::tool {

static std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static json::Object portObject(KernelOp kernel, unsigned i) {
  PortType type = kernel.getPortType(i);
  json::Object port;
  port["mode"] = stringifyPortMode(type.getMode());
  port["type"] = typeName(type.getElementType());
  port["shape"] = json::Array(type.getStaticShape().value_or(SmallVector<int64_t>()));
  return port;
}

static json::Object mapObject(const rt::TensorMap &map) {
  static constexpr const char *types[] = {"u8", "f16", "bf16", "f32"};
  return json::Object{{"port", map.port},
                      {"offset", map.offset},
                      {"type", types[static_cast<size_t>(map.type)]},
                      {"dims", json::Array(map.dims)},
                      {"strides", json::Array(map.strides)},
                      {"box", json::Array(map.box)},
                      {"swizzle", map.swizzle}};
}

static json::Object launchObject(const rt::GpuLaunch &launch) {
  json::Array maps;
  for (const rt::TensorMap &map : launch.maps) {
    maps.push_back(mapObject(map));
  }
  return json::Object{{"entry", launch.entry},
                      {"grid", json::Array(launch.grid)},
                      {"block", launch.block},
                      {"shared", launch.sharedBytes},
                      {"starts_early", launch.startsEarly},
                      {"maps", std::move(maps)}};
}

static json::Array resourceObjects(const PtxKernel &kernel) {
  json::Array resources;
  for (const PtxResources &entry :
       kernel.report ? kernel.report->entries : std::vector<PtxResources>()) {
    resources.push_back(json::Object{{"entry", entry.entry},
                                     {"registers", entry.registers},
                                     {"stack", entry.stackBytes},
                                     {"spilled", entry.spillStoreBytes},
                                     {"shared", entry.sharedBytes}});
  }
  return resources;
}

static json::Object timesObject(const PtxCompileTimes &times) {
  return json::Object{{"parse", times.parse},       {"lower", times.lower},
                      {"convert", times.convert},   {"translate", times.translate},
                      {"optimize", times.optimize}, {"emit", times.emit},
                      {"assemble", times.assemble}};
}

static Status writeBundle(const KernelLine &line, BoundKernel &bound, const PtxKernel &kernel) {
  std::string name = bound.kernel.getSymName().str();
  std::string image = name + (kernel.report ? ".cubin" : ".ptx");
  json::Array ports, launches;
  for (unsigned i = 0; i < bound.kernel.getNumPorts(); ++i) {
    ports.push_back(portObject(bound.kernel, i));
  }
  for (const rt::GpuLaunch &launch : kernel.kernel.launches) {
    launches.push_back(launchObject(launch));
  }
  json::Object record{{"name", name},
                      {"target", line.target},
                      {"image", image},
                      {"scratch_bytes", kernel.kernel.scratchBytes},
                      {"ports", std::move(ports)},
                      {"launches", std::move(launches)},
                      {"resources", resourceObjects(kernel)},
                      {"compile_ms", timesObject(kernel.times)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", json::Value(std::move(record)));
  if (std::error_code error = llvm::sys::fs::create_directories(line.out)) {
    return makeError(ErrorCode::Input, "{}: {}", line.out, error.message());
  }
  ZYXC_RETURN_IF_ERROR(writeFile(line.out + "/" + image, kernel.kernel.image));
  return writeFile(line.out + "/" + name + ".json", text);
}

Status bundleKernels(const KernelLine &line) {
  if (line.out.empty()) {
    return makeError(ErrorCode::Usage, "zyxc kernel bundle needs --out FOLDER");
  }
  std::optional<Target> target = findTarget(line.target);
  if (!target || target->kind != TargetKind::Ptx) {
    return makeError(ErrorCode::Unsupported,
                     "--target={}: bundles are for NVIDIA GPUs (sm_90a, ..)", line.target);
  }
  PtxOptions options;
  if (auto device = rt::openCudaDevice()) {
    options.architecture = (*device)->info().target;
    target = cudaTarget(*target, (*device)->info());
  }
  ZYXC_ASSIGN(KernelFile file, KernelFile::load(line.file));
  ZYXC_ASSIGN(std::vector<KernelOp> kernels, file.kernels(line.kernel));
  for (KernelOp kernel : kernels) {
    ZYXC_RETURN_IF_ERROR(file.setSchedule(kernel, line.schedule));
    ZYXC_ASSIGN(DimValues dims, givenDims(kernel, line.dims));
    ZYXC_ASSIGN(BoundKernel bound, file.bind(kernel, dims));
    ZYXC_ASSIGN(auto compiler, PtxCompiler::create(*target, options));
    auto compiled = compiler->compile(bound.text);
    if (!compiled) {
      return makeError(ErrorCode::Unsupported, "{}: @{}: {}", line.file, kernel.getSymName().str(),
                       compiled.error().message());
    }
    // Compiled twice for the times: at first dialects and the code generator are loaded.
    ZYXC_ASSIGN(PtxKernel warm, compiler->compile(bound.text));
    ZYXC_RETURN_IF_ERROR(writeBundle(line, bound, warm));
    fmt::print("{}/{}.json\n", line.out, kernel.getSymName().str());
  }
  return Status::ok();
}

} // namespace zyxc::tool
