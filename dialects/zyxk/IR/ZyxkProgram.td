// zyxk.program: several kernels as one unit.
#ifndef ZYXK_PROGRAM
#define ZYXK_PROGRAM

include "dialects/zyxk/IR/ZyxkTypes.td"

def Zyxk_ProgramOp : Zyxk_Op<"program", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A sequence of kernel launches with memory between them";
  let description = [{
    ```mlir
    zyxk.program @column_sum dims(R, N)
        ports(%x: in f32[R, N], %y: out f32[N], %w: scratch f32[32, N]) {
      launch @column_sum_parts(%x, %w) dims(R = R, N = N)
      launch @column_sum_join(%w, %y) dims(N = N)
    }
    ```
    Launches run in order. A scratch port is memory that lives during the program only; what it
    holds before its first write is not defined. Each dim of a launched kernel is an expression over
    the dims of the program.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dim_names,
                       OptionalAttr<IntegerSetAttr>:$assume);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "zyxk"; }

    /// Creates a program without launches and the ports as block arguments.
    static ProgramOp createWithPorts(::mlir::OpBuilder &builder, ::mlir::Location loc,
                                     ::llvm::StringRef name, ::llvm::ArrayRef<::llvm::StringRef> dims,
                                     ::llvm::ArrayRef<PortType> ports);

    unsigned getNumDims() { return getDimNames().size(); }
    unsigned getNumPorts() { return getBody().front().getNumArguments(); }
    PortType getPortType(unsigned port);
    ::mlir::BlockArgument getPort(unsigned port) { return getBody().front().getArgument(port); }
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

def Zyxk_LaunchOp : Zyxk_Op<"launch", [
    HasParent<"ProgramOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on ports of the program";
  let description = [{
    `launch @kernel(%x, %y) dims(N = M * 2)`. `dims` has one result per dim of the kernel, in the
    kernel's order, over ()[dims of the program].
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Zyxk_Port>:$ports,
                       StrArrayAttr:$dim_names, AffineMapAttr:$dims);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The launched kernel, if the symbol is one.
    KernelOp lookUpKernel();
  }];
}

#endif
