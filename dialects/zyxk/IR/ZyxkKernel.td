// zyxk.kernel: ports, axes, body, schedule.
#ifndef ZYXK_KERNEL
#define ZYXK_KERNEL

include "dialects/zyxk/IR/ZyxkTypes.td"

def Zyxk_KernelOp : Zyxk_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A kernel: what is computed over which axes, and how";
  let description = [{
    ```mlir
    zyxk.kernel @softmax dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N])
        axes(r < R, n < N) {
      %a = load %x[r, n] : f32
      %m = reduce max %a over [n] : f32
      %d = arith.subf %a, %m : f32
      %e = math.exp %d : f32
      %s = reduce add %e over [n] : f32
      %q = arith.divf %e, %s : f32
      store %q, %y[r, n] : f32
    } schedule #zyxk.row<vec = 16>
    ```
    Axes have no kind: reduction is a property of an op. Every body value has an axis set
    (AxisSets.h). Axes and dims are named; expressions over them use `+ - * floordiv mod`.
    `axes(i < M, j < N where j <= i)` restricts the domain, `assume(N mod 8 == 0)` states facts
    about dims. A bound may use the axes before it. A restriction holds for the ops whose values have
    all axes that it names.

    Storage: `axis_bounds` has one result per axis over (axes)[dims], `domain` is a set over
    (axes)[dims], `assume` a set over ()[dims]. The block arguments are the ports.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrArrayAttr:$dim_names,
    StrArrayAttr:$axis_names,
    AffineMapAttr:$axis_bounds,
    OptionalAttr<IntegerSetAttr>:$domain,
    OptionalAttr<IntegerSetAttr>:$assume,
    OptionalAttr<AnyAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Body ops need no dialect prefix.
    static ::llvm::StringRef getDefaultDialect() { return "zyxk"; }

    /// Creates a kernel with an empty body at the builder's insertion point and the ports as block
    /// arguments. `bounds` has one result per axis over (axes)[dims].
    static KernelOp createWithPorts(
        ::mlir::OpBuilder &builder, ::mlir::Location loc,
                           ::llvm::StringRef name, ::llvm::ArrayRef<::llvm::StringRef> dims,
                           ::llvm::ArrayRef<::llvm::StringRef> axes, ::mlir::AffineMap bounds,
                           ::llvm::ArrayRef<PortType> ports);

    unsigned getNumAxes() { return getAxisNames().size(); }
    unsigned getNumDims() { return getDimNames().size(); }
    unsigned getNumPorts() { return getBody().front().getNumArguments(); }
    ::llvm::StringRef getAxisName(unsigned axis);
    /// The axis with this name, if there is one.
    std::optional<unsigned> findAxis(::llvm::StringRef name);
    PortType getPortType(unsigned port);
    ::mlir::BlockArgument getPort(unsigned port) { return getBody().front().getArgument(port); }
    /// Upper bounds of all axes, if each is a constant.
    std::optional<::llvm::SmallVector<int64_t>> getStaticExtents();
    /// The smallest box that holds all axes: bounds that depend on other axes take their largest
    /// value. None if a bound depends on dims.
    std::optional<::llvm::SmallVector<int64_t>> getBoxExtents();
    ::mlir::Block &getBlock() { return getBody().front(); }
  }];
}

#endif
