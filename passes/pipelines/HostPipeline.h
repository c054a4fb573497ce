// The way of a lowered kernel (passes/lower/HostFunction.h) to the LLVM dialect on the host.
#pragma once
#include "mlir/Pass/Pass.h"
#include "passes/lower/HostFunction.h"
#include <memory>

namespace zyxc {

/// Rewrites math functions to vector polynomials where those are accurate, and vector operations
/// without a direct LLVM form to simpler ones. Module pass `zyxk-host-expand`. `avx512`: the
/// processor has AVX-512; results do not depend on it.
std::unique_ptr<mlir::Pass> createHostExpandPass(bool avx512 = false);

/// Converts scf, cf, arith, math, index, memref, vector and func to the LLVM dialect, and gives
/// each lowered host function an entry of the kernel ABI: `NAME(ptr args, i64 lo, i64 hi)`, where
/// args holds the addresses of the ports and then of the scratch memory. Module pass
/// `zyxk-host-to-llvm`.
std::unique_ptr<mlir::Pass> createHostToLlvmPass();

/// Lowered kernels (scf, vector, memref) to the LLVM dialect.
void buildHostPipeline(mlir::OpPassManager &passes, bool avx512 = false);

/// Registers both passes and the pipeline `zyxk-host-pipeline` for command line tools.
void registerHostPipeline();

} // namespace zyxc
