#include "compiler/driver/SavePlan.h"
#include "compiler/codegen/cpu/FlatImage.h"
#include "compiler/plan/PlanWriter.h"
#include "runtime/support/CpuFeatures.h"
#include <algorithm>
#include <map>

namespace zyxc {

static_assert(FlatImage::pageBytes == rt::planPageBytes);

/// Joins the code of all kernels, each object file once.
static Status addCode(const Compiled &compiled, plan::SavedProgram &program) {
  std::map<const std::string *, size_t> numberOf;
  std::vector<std::string_view> objects;
  for (const KernelCode &kernel : compiled.kernelCode) {
    if (kernel.object && numberOf.try_emplace(kernel.object.get(), objects.size()).second) {
      objects.emplace_back(*kernel.object);
    }
  }
  ZYXC_ASSIGN(FlatImage image, makeFlatImage(objects));
  for (const KernelCode &kernel : compiled.kernelCode) {
    rt::KernelOffsets offsets;
    if (!kernel.object) { // runs other plans, or a function of a library
      program.layout.kernels.push_back(offsets);
      continue;
    }
    const auto &functions = image.functions[numberOf.at(kernel.object.get())];
    for (auto [symbol, offset] :
         {std::pair(&kernel.entry, &offsets.entry), std::pair(&kernel.join, &offsets.join)}) {
      auto found = functions.find(*symbol);
      if (!symbol->empty() && found == functions.end()) {
        return makeError(ErrorCode::Internal, "no function {} in its object file", *symbol);
      }
      *offset = symbol->empty() ? 0 : found->second;
    }
    program.layout.kernels.push_back(offsets);
  }
  program.layout.textBytes = image.textBytes;
  program.layout.slotsOffset = image.slotsOffset;
  for (ImageSlot &slot : image.slots) {
    program.layout.slots.push_back({std::move(slot.symbol), slot.offset});
  }
  program.code = std::move(image.bytes);
  return Status::ok();
}

/// What a processor must have; a runtime must be able to tell.
static Status addHostNeeds(const Compiled &compiled, rt::PlanTarget &target) {
  target.features = compiled.target.host.neededFeatures();
  target.vectorBits = compiled.target.host.vectorBits;
  for (const std::string &feature : target.features) {
    if (!CpuFeatures::isKnown(feature)) {
      return makeError(ErrorCode::Unsupported,
                       "--target={}: a runtime cannot tell whether a processor has '{}': use "
                       "--target=cpu:x86-64-v3 or cpu:x86-64-v4",
                       target.name, feature);
    }
  }
  return Status::ok();
}

static Expected<plan::SavedProgram> programOf(const Compiled &compiled) {
  plan::SavedProgram program;
  program.target.name = compiled.target.name;
  program.target.kind = compiled.target.kind;
  program.plan = &compiled.plan;
  if (compiled.target.isGpu()) {
    program.target.features = compiled.gpuNeeds;
    plan::addGpuCode(compiled.gpuCodes, program);
    return program;
  }
  ZYXC_RETURN_IF_ERROR(addHostNeeds(compiled, program.target));
  ZYXC_RETURN_IF_ERROR(addCode(compiled, program));
  return program;
}

Status savePlan(const std::string &path, std::span<const Compiled> compiled) {
  std::vector<plan::SavedProgram> programs;
  for (const Compiled &one : compiled) {
    ZYXC_ASSIGN(plan::SavedProgram program, programOf(one));
    programs.push_back(std::move(program));
  }
  return plan::writePlanFile(path, version(), programs);
}

} // namespace zyxc
