#ifndef ZYX_CUSTOM
#define ZYX_CUSTOM

include "dialects/zyx/IR/ZyxBase.td"
include "mlir/IR/SymbolInterfaces.td"

// Kernels whose code the user gives: what is declared once for a kernel, its code for each kind of
// target, and its uses. docs/plans.md#custom-kernels tells how they are called.

def Zyx_CustomKernelOp : Op<Zyx_Dialect, "custom_kernel", [
    Symbol, HasParent<"::mlir::ModuleOp">, NoTerminator, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel of the user: its types, its code for each kind of target, what it costs";
  let description = [{
    `type` is the shape function: dims of operands may be named (`#zyx.dims<"N">`), and those of the
    results are expressions over these names. Each name is an axis of an operand, which decides its
    value at each use. `decomposition` is a func of this very type that computes the same.
    `gradient` is a func of the operands, then of the gradients of the results, that gives the
    gradients of the operands. `cost` is what a launch takes, in picoseconds or in bytes read and
    written and in flops: with it the kernel competes with its decomposition.

    ```mlir
    zyx.custom_kernel @scale : (tensor<?xf32, #zyx.dims<"N">>) -> tensor<?xf32, #zyx.dims<"N">>
        like @plain cost {bytes = "8 * N"} {
      zyx.host_source "scale_f32"
      zyx.ptx_source "scale" file "scale.ptx" grid ["floordiv(N + 255, 256)"] block 256
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$type,
                   OptionalAttr<FlatSymbolRefAttr>:$decomposition,
                   OptionalAttr<FlatSymbolRefAttr>:$gradient,
                   OptionalAttr<DictionaryAttr>:$cost);
  let regions = (region SizedRegion<1>:$sources);
  let assemblyFormat = [{
    $sym_name `:` $type (`like` $decomposition^)? (`gradient` $gradient^)? (`cost` $cost^)?
    attr-dict-with-keyword $sources
  }];
  let hasRegionVerifier = 1;
}

// Code of a kernel for one kind of target.
class Zyx_Source<string mnemonic, dag args> : Op<Zyx_Dialect, mnemonic, [
    HasParent<"CustomKernelOp">]> {
  let arguments = args;
}

def Zyx_HostSourceOp : Zyx_Source<"host_source", (ins StrAttr:$entry)> {
  let summary = "a C function of a library that the user names when the program runs";
  let assemblyFormat = "$entry attr-dict";
  let hasVerifier = 1;
}

// Code for GPUs: `text` (a string, or strings that are its lines) or `file`, a path relative to the
// module's file, which is read when the module is loaded.
class Zyx_GpuSource<string mnemonic> : Zyx_Source<mnemonic, (ins
    StrAttr:$entry, OptionalAttr<AnyAttrOf<[StrAttr, StrArrayAttr]>>:$text,
    OptionalAttr<StrAttr>:$file, DenseI64ArrayAttr:$grid)> {
  let hasVerifier = 1;
  let assemblyFormat = [{
    $entry (`text` $text^)? (`file` $file^)? `grid` custom<Sizes>($grid) attr-dict
  }];
}
class Zyx_CudaCode<string mnemonic> : Zyx_GpuSource<mnemonic> {
  let arguments = (ins
    StrAttr:$entry, OptionalAttr<AnyAttrOf<[StrAttr, StrArrayAttr]>>:$text,
    OptionalAttr<StrAttr>:$file, DenseI64ArrayAttr:$grid, I64Attr:$block,
    DefaultValuedAttr<I64Attr, "0">:$shared);
  let assemblyFormat = [{
    $entry (`text` $text^)? (`file` $file^)? `grid` custom<Sizes>($grid)
    `block` custom<Size>($block) (`shared` $shared^)? attr-dict
  }];
}

def Zyx_PtxSourceOp : Zyx_CudaCode<"ptx_source"> {
  let summary = "PTX, its entry, the blocks in x, y, z, threads and dynamic shared bytes of a block";
}
def Zyx_CudaSourceOp : Zyx_CudaCode<"cuda_source"> {
  let summary = "CUDA C++, which NVRTC makes PTX of where it is installed; the rest is as of PTX";
}
def Zyx_SpirvSourceOp : Zyx_GpuSource<"spirv_source"> {
  let summary = "SPIR-V, its words or its assembly text, its entry, the workgroups in x, y, z";
}

def Zyx_CustomOp : Op<Zyx_Dialect, "custom", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a use of a custom kernel";
  let description = [{
    `callee` is a `zyx.custom_kernel` of the module, or a string: a C function of a library, which
    is the short form of a kernel with nothing but this source. A kernel must be a pure function of
    its operands. `decomposition` names a func of zyx ops that gives the same results, with the
    types of this use: without one, that of the declaration counts (zyx-instantiate-custom makes
    one for these types of it).
  }];
  let arguments = (ins AnyAttrOf<[StrAttr, FlatSymbolRefAttr]>:$callee,
                   Variadic<Zyx_Tensor>:$operands,
                   OptionalAttr<FlatSymbolRefAttr>:$decomposition);
  let results = (outs Variadic<Zyx_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` (`like` $decomposition^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The function of the short form; empty in the other one.
    llvm::StringRef getFunction() {
      auto name = llvm::dyn_cast<mlir::StringAttr>(getCallee());
      return name ? name.getValue() : llvm::StringRef();
    }
    /// What the kernel is called in messages.
    std::string getKernelName() {
      auto kernel = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(getCallee());
      return (kernel ? "@" + kernel.getValue() : "'" + getFunction() + "'").str();
    }
  }];
}

#endif
