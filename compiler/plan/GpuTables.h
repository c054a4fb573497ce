// The code of GPU programs as tables of a saved plan's header.
#pragma once
#include "runtime/plan/PlanFile_generated.h"
#include "runtime/plan/PlanHeader.h"

namespace zyxc::plan {

/// Adds one table a kernel; null for a program of the host, which has none.
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<rt::file::GpuKernel>>>
gpuTables(flatbuffers::FlatBufferBuilder &builder,
          const std::vector<std::vector<rt::StoredGpuCode>> &kernels);

} // namespace zyxc::plan
