// The way of a lowered kernel (passes/lower/HostFunction.h) to the LLVM dialect on the host.
#pragma once
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Pass/Pass.h"
#include "passes/lower/HostFunction.h"
#include <memory>

namespace zyxc {

/// Computes what is f16 or bf16 in f32. Values are rounded (to nearest, ties to even; NaN stays
/// NaN) where they leave a chain of arithmetic, and where the kernel says so; conversions from
/// wider types round once. No instruction for bf16 is used where a processor has one: it flushes
/// denormals. Module pass `zyxk-host-narrow-floats`.
std::unique_ptr<mlir::Pass> createHostNarrowFloatsPass();

/// Makes the LLVM dialect's form of bf16 i16: LLVM moves lanes of bf16 through f32 and calls
/// functions that round back. Nothing computes in bf16 after zyxk-host-narrow-floats.
void populateBf16BitsPatterns(mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

/// What host code is expanded for.
struct HostExpandOptions {
  unsigned vectorBits = 0; ///< 256 with AVX2, 512 with AVX-512: functions may differ by it in the
                           ///< last place
  bool exact = false;      ///< each op rounds as it stands: no fused multiply-adds, no other forms
};

/// Rewrites math functions to arithmetic (math/MathExpand.h), products and sums to fused
/// multiply-adds, and vector operations without a direct LLVM form to simpler ones. Module pass
/// `zyxk-host-expand`.
std::unique_ptr<mlir::Pass> createHostExpandPass(const HostExpandOptions &options = {});

/// Converts scf, cf, arith, math, index, memref, vector and func to the LLVM dialect, and gives
/// each lowered host function an entry of the kernel ABI: `NAME(ptr args, i64 lo, i64 hi)`, where
/// args holds 64-bit slots: the addresses of the ports and then of the scratch memory, and the dims
/// of a kernel that has some without a size. Module pass `zyxk-host-to-llvm`.
std::unique_ptr<mlir::Pass> createHostToLlvmPass();

/// Lowered kernels (scf, vector, memref) to the LLVM dialect.
void buildHostPipeline(mlir::OpPassManager &passes, const HostExpandOptions &options = {});

/// Registers both passes and the pipeline `zyxk-host-pipeline` for command line tools.
void registerHostPipeline();

} // namespace zyxc
