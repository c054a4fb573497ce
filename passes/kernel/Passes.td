#ifndef ZYXC_PASSES_KERNEL
#define ZYXC_PASSES_KERNEL

include "mlir/Pass/PassBase.td"

class KernelPass<string argument> : Pass<argument, "::zyxc::zyxk::KernelOp"> {
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def InlineScalarsPass : KernelPass<"zyxk-inline-scalars"> {
  let summary = "Replace scalar calls by arith and math ops with zyx semantics";
}

def ExpandOobPass : KernelPass<"zyxk-expand-oob"> {
  let summary = "Replace loads with a value outside of their port by guarded or clamped loads";
}

def FoldCountsPass : KernelPass<"zyxk-fold-counts"> {
  let summary = "Replace sums of a constant over axes of known size";
}

def SpecializePass : Pass<"zyxk-specialize", "::mlir::ModuleOp"> {
  let summary = "Bind dims of kernels and programs to sizes";
  let description = [{
    `dims=N=128,M=64` binds the dims of these names of every kernel and program. A size that
    violates an assumption is an error. The launches of a program whose dims are all bound run
    kernels of their own, with sizes as suffix of their names.
  }];
  let options = [ListOption<"dims", "dims", "std::string", "Sizes of dims, as NAME=SIZE">];
}

def VerifySchedulePass : KernelPass<"zyxk-verify-schedule"> {
  let summary = "Check the schedules of kernels against the limits of a target";
  let options = [Option<"target", "target", "std::string", /*default=*/"", "Name of the target">];
}

#endif
