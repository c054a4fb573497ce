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

def NormalizePass : Pass<"zyxk-normalize", "::mlir::ModuleOp"> {
  let summary = "Drop unit axes, merge contiguous axes, simplify guards, share equal ops";
  let description = [{Kernels that a program launches keep the shapes of their ports.}];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def ToExpsumPass : KernelPass<"zyxk-to-expsum"> {
  let summary = "Make one expsum of a maximum and sums of exponentials";
}

def ToWelfordPass : KernelPass<"zyxk-to-welford"> {
  let summary = "Make one welford of a mean and a sum of squared deviations";
}

def ConvToContractPass : KernelPass<"zyxk-conv-to-contract"> {
  let summary = "Make contractions of sums of products";
}

def SwapOperandsPass : KernelPass<"zyxk-swap-operands"> {
  let summary = "Swap the operands of contractions";
}

def MaskToBoundsPass : KernelPass<"zyxk-mask-to-bounds"> {
  let summary = "Make restrictions of the domain of masks by neutral values";
}

def AddStorePass : KernelPass<"zyxk-add-store"> {
  let summary = "Store a value of the body to a new out port";
  let options = [Option<"value", "value", "unsigned", /*default=*/"0",
                        "Number of the value among those that can be stored">];
}

def SplitReductionPass : Pass<"zyxk-split-reduction", "::mlir::ModuleOp"> {
  let summary = "Cut the longest reduction of each kernel into parts, joined by a second kernel";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let options = [Option<"parts", "parts", "int64_t", /*default=*/"2", "Parts, at most">];
}

def FuseProducerPass : Pass<"zyxk-fuse-producer", "::mlir::ModuleOp"> {
  let summary = "Compute scratch values of programs where they are needed";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseSiblingPass : Pass<"zyxk-fuse-sibling", "::mlir::ModuleOp"> {
  let summary = "Fuse neighbouring launches that share an input";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PackPortPass : Pass<"zyxk-pack-port", "::mlir::ModuleOp"> {
  let summary = "Store an in port of each kernel in panels";
  let options = [Option<"port", "port", "unsigned", /*default=*/"0", "Number of the port">,
                 Option<"axis", "axis", "unsigned", /*default=*/"0", "Axis that is cut">,
                 Option<"block", "block", "int64_t", /*default=*/"16", "Elements of a panel">];
}

def WinogradPass : Pass<"zyxk-winograd", "::mlir::ModuleOp"> {
  let summary = "Replace 3x3 convolutions by Winograd's F(2x2, 3x3)";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
