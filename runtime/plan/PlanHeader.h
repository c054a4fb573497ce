// The header of a saved plan as plain structs, every number in it checked.
#pragma once
#include "runtime/plan/GpuPlan.h"
#include "runtime/plan/PlanLayout.h"

namespace zyxc::rt {

/// What runs a target's code.
enum class PlanKind : uint8_t { X86, Cuda, Vulkan };

/// A target of a saved plan.
struct PlanTarget {
  std::string name; ///< as --target names it: "cpu:x86-64-v3", "cuda:sm_90", "vulkan:1.2"
  /// What its code needs: instruction sets (CpuFeatures), or of a GPU what missingNeeds knows.
  std::vector<std::string> features;
  unsigned vectorBits = 0; ///< widest vectors of its code on the host
  PlanKind kind = PlanKind::X86;
};

/// Where a kernel's code starts, in bytes of the code segment; zeros for a kernel without code: one
/// with control, or a custom one.
struct KernelOffsets {
  uint64_t entry = 0;
  uint64_t join = 0; ///< if the kernel's join has tasks
};

/// A function that code calls through an address in its segment.
struct SymbolSlot {
  std::string symbol;  ///< of runtime/routines/Symbols.h
  uint64_t offset = 0; ///< of the address, a multiple of 8
};

/// Machine code of all kernels of a plan, position independent: instructions, read-only data, and
/// addresses of functions, which the runtime fills in. Each part starts at a page.
struct PlanCode {
  uint64_t textBytes = 0;   ///< of instructions, from the start
  uint64_t slotsOffset = 0; ///< of the addresses, up to the end
  std::vector<SymbolSlot> slots;
  std::vector<KernelOffsets> kernels; ///< one a kernel of the plan and its bodies, as wholePlan
};

/// Code of a kernel for a GPU, whose image is bytes of the code segment.
struct StoredGpuCode {
  GpuCode code; ///< without its image
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// A constant in the weights segment.
struct StoredConstant {
  TensorType type;
  uint64_t offset = 0;
};

/// Bytes of the file.
struct PlanSegment {
  uint64_t offset = 0;
  uint64_t length = 0;
  uint32_t checksum = 0;
};

/// The plan of one target. `plan` and its bodies have neither constants nor entries yet.
struct PlanProgram {
  PlanTarget target;
  Plan plan;
  PlanCode code;                               ///< of the host
  std::vector<std::vector<StoredGpuCode>> gpu; ///< of a GPU: one list a kernel of the plan
  uint32_t codeSegment = 0;
  std::vector<std::vector<StoredConstant>> constants; ///< a list a plan, as wholePlan
};

struct PlanHeader {
  uint64_t headerBytes = 0;
  std::string compiler; ///< version of the zyxc that made the file
  std::vector<PlanSegment> segments;
  uint32_t weightsSegment = 0;
  std::vector<PlanProgram> programs; ///< of the kinds that this runtime knows
};

/// Reads the header of a file of `fileBytes` bytes that starts with planPrefixBytes + bytes.size()
/// bytes. `bytes` must be aligned to 16. Input errors, without the file's name, if any offset,
/// length, index, count or shape is not within what it refers to.
Expected<PlanHeader> decodeHeader(std::span<const std::byte> bytes, uint64_t fileBytes);

} // namespace zyxc::rt
