// Builds the form of GpuFunction.h: the gpu.module that a kernel becomes, and its launches.
#pragma once
#include "dialects/zyxk/IR/ZyxkOps.h"
#include "dialects/zyxk/target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/lower/tile/GpuFunction.h"
#include <array>

namespace zyxc {

/// One launch: a gpu.func whose body is being built.
struct GpuLaunch {
  mlir::gpu::GPUFuncOp function;
  llvm::SmallVector<mlir::Value> ports; ///< memref<N x element, global> per port of the kernel
  mlir::Value scratch;                  ///< memref<B x i8, global>, or null
  std::array<int64_t, 3> grid = {1, 1, 1};
  int64_t threads = 1;

  /// At the end of the function, before its return.
  mlir::OpBuilder atEnd();
  /// The start of the function: workgroup memory is allocated there.
  mlir::OpBuilder atStart();
};

/// The gpu.module of a kernel.
class GpuModule {
public:
  /// Creates the module beside the kernel, under the same name, without launches. The kernel stays.
  GpuModule(zyxk::KernelOp kernel, const Target &target, int64_t scratchBytes = 0);

  /// Adds a launch with `threads` threads in each workgroup and a grid of `workgroups`, folded to
  /// two dimensions where one would exceed what the target allows (see blockIndex).
  GpuLaunch addLaunch(int64_t workgroups, int64_t threads);
  /// Adds a launch with this grid.
  GpuLaunch addLaunch(std::array<int64_t, 3> grid, int64_t threads);
  mlir::gpu::GPUModuleOp module() const { return op; }

private:
  zyxk::KernelOp kernel;
  Target target;
  int64_t scratchBytes;
  int64_t launches = 0;
  mlir::gpu::GPUModuleOp op;
};

/// The number of this workgroup in a launch made by addLaunch(workgroups, ..): in [0, X * Y), which
/// may exceed `workgroups` by a part of a row.
mlir::Value blockIndex(mlir::OpBuilder &builder, mlir::Location loc, const GpuLaunch &launch);
/// #gpu.address_space<global> or <workgroup>.
mlir::Attribute globalSpace(mlir::MLIRContext *context);
mlir::Attribute workgroupSpace(mlir::MLIRContext *context);

} // namespace zyxc
