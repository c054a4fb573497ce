// What the compilers for GPUs have in common: an MLIR context whose errors are kept as text, and
// the way of a kernel from its text to one gpu.module.
#pragma once
#include "dialects/zyxk/target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/support/Status.h"
#include <memory>
#include <string>

namespace zyxc {

/// Adds the dialects of kernels, and those that they are lowered to on every GPU.
void addGpuDialects(mlir::DialectRegistry &registry);

/// Lowers kernels, one at a time.
class GpuLowering {
public:
  /// All dialects of the registry are loaded: kernels are lowered outside of a pass manager.
  explicit GpuLowering(const mlir::DialectRegistry &registry);
  GpuLowering(const GpuLowering &) = delete; // the context's handler knows this object

  /// Parses a module with one zyxk.kernel (or one lowered gpu.module) and lowers it. The errors
  /// reported from then on are the text of error(). Adds milliseconds to `parse` and `lower`.
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> lower(const std::string &text, const Target &target,
                                                    double &parse, double &lower);
  /// An Unsupported error of a step that says what the target cannot do.
  Status refusal(std::string_view step) const;
  /// An Internal error of a step with what was reported since the kernel began.
  Status error(std::string_view step) const;

  mlir::MLIRContext *context() const { return owned.get(); }

private:
  std::unique_ptr<mlir::MLIRContext> owned;
  std::string diagnostics;
};

/// The gpu.module of a lowered module.
Expected<mlir::gpu::GPUModuleOp> onlyGpuModule(mlir::ModuleOp module);

/// An op as text with an end of line.
std::string textOf(mlir::Operation *op);

} // namespace zyxc
