#include "compiler/plan/GpuTables.h"
#include "compiler/plan/PlanWriter.h"

namespace zyxc::plan {

namespace file = rt::file;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

static Offset<file::TensorMap> mapTable(FlatBufferBuilder &builder, const rt::TensorMap &map) {
  auto dims = builder.CreateVector(map.dims);
  auto strides = builder.CreateVector(map.strides);
  auto box = builder.CreateVector(map.box);
  return file::CreateTensorMap(builder, map.port, map.offset, static_cast<file::MapType>(map.type),
                               dims, strides, box, map.swizzle);
}

static Offset<file::GpuLaunch> launchTable(FlatBufferBuilder &builder,
                                           const rt::GpuLaunch &launch) {
  std::vector<Offset<file::TensorMap>> maps;
  maps.reserve(launch.maps.size());
  for (const rt::TensorMap &map : launch.maps) {
    maps.push_back(mapTable(builder, map));
  }
  auto entry = builder.CreateString(launch.entry);
  auto storedMaps = maps.empty() ? 0 : builder.CreateVector(maps);
  return file::CreateGpuLaunch(builder, entry, launch.grid[0], launch.grid[1], launch.grid[2],
                               launch.block, launch.sharedBytes, launch.startsEarly, storedMaps);
}

static Offset<file::GpuCode> codeTable(FlatBufferBuilder &builder,
                                       const rt::StoredGpuCode &stored) {
  const rt::GpuCode &code = stored.code;
  std::vector<Offset<file::GpuLaunch>> launches;
  launches.reserve(code.kernel.launches.size());
  for (const rt::GpuLaunch &launch : code.kernel.launches) {
    launches.push_back(launchTable(builder, launch));
  }
  Offset<flatbuffers::String> architecture;
  if (!code.architecture.empty()) {
    architecture = builder.CreateString(code.architecture);
  }
  auto storedLaunches = builder.CreateVector(launches);
  return file::CreateGpuCode(builder, static_cast<file::CodeForm>(code.form), architecture,
                             code.subgroupSize, code.loopTurns, stored.offset, stored.length,
                             code.kernel.scratchBytes, storedLaunches);
}

Offset<flatbuffers::Vector<Offset<file::GpuKernel>>>
gpuTables(FlatBufferBuilder &builder, const std::vector<std::vector<rt::StoredGpuCode>> &kernels) {
  std::vector<Offset<file::GpuKernel>> tables;
  for (const std::vector<rt::StoredGpuCode> &codes : kernels) {
    std::vector<Offset<file::GpuCode>> stored;
    stored.reserve(codes.size());
    for (const rt::StoredGpuCode &code : codes) {
      stored.push_back(codeTable(builder, code));
    }
    tables.push_back(file::CreateGpuKernel(builder, builder.CreateVector(stored)));
  }
  return tables.empty() ? 0 : builder.CreateVector(tables);
}

void addGpuCode(const rt::GpuCodes &codes, SavedProgram &program) {
  program.layout.kernels.resize(program.plan->kernels.size()); // without entries
  for (const std::vector<rt::GpuCode> &list : codes) {
    auto &stored = program.gpu.emplace_back();
    for (const rt::GpuCode &code : list) {
      program.code.resize(rt::alignPlanBytes(program.code.size(), rt::planImageAlignment));
      stored.push_back({code, program.code.size(), code.kernel.image.size()});
      program.code += code.kernel.image;
      stored.back().code.kernel.image.clear();
    }
  }
}

} // namespace zyxc::plan
