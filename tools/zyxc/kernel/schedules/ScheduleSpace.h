// The schedules of a kernel's family on a target: each family has a table of values for the fields
// that its lowering reads; the space is their product.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include <string>
#include <vector>

namespace zyxc::tool {

/// The families of schedules, by the part of the body that decides.
enum class ScheduleFamily : uint8_t { Map, Row, Col, Contract, Mma, Attn, Move, Scan, Block };

/// "row".
std::string_view familyName(ScheduleFamily family);

/// The families that may take a kernel with bound dims on a target, the likeliest first: attention
/// and contractions by their ops, scans, rows or columns by whether a load is contiguous along a
/// reduced axis, moves by loads and stores that are contiguous along different axes. Contractions
/// without rows or without columns take what reductions take, and tiles.
std::vector<ScheduleFamily> familiesOf(zyxk::KernelOp kernel, const Target &target);

/// All schedules of a family that are worth trying on a target; not yet verified.
std::vector<mlir::Attribute> scheduleSpace(ScheduleFamily family, zyxk::KernelOp kernel,
                                           const Target &target);

} // namespace zyxc::tool
