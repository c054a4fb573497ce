// The families on threads of a GPU. Each replaces a kernel by its gpu.module (GpuFunction.h), the
// same for PTX and SPIR-V; what it asks of the kernel's body is said here, and checked by LowerGpu.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "passes/lower/emit/AccessTable.h"

namespace zyxc {

/// Every thread computes points of the stores by itself; reductions are loops of one thread.
void lowerGpuMap(AccessTable &table, const Target &target);

/// Lanes along reduced axes: a team of threads for each row. Reductions whose result is the same
/// for the whole row are shared. One row of few and long ones is split over workgroups, if all it
/// gives are reductions.
llvm::LogicalResult lowerGpuRow(AccessTable &table, const Target &target);

/// Lanes along an axis that reductions keep; a team of threads stands over each vector of columns,
/// and more workgroups share its rows. Parts are joined by a second launch in a fixed order.
void lowerGpuCol(AccessTable &table, const Target &target);

/// A workgroup for everything that the stores and reductions do not share.
llvm::LogicalResult lowerGpuBlock(AccessTable &table, const Target &target);

/// True if lowerGpuMove takes the kernel: loads along one axis, stores along another one.
bool isMove(AccessTable table);
/// Tiles through workgroup memory, so that loads and stores both are contiguous.
void lowerGpuMove(AccessTable &table, const Target &target);

/// Fails with a diagnostic if a kernel with scans does more than one sweep along one axis.
llvm::LogicalResult checkScan(const AccessTable &table);
/// A team for each row along the scanned axis.
void lowerGpuScan(AccessTable &table, const Target &target);

} // namespace zyxc
