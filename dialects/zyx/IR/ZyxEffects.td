#ifndef ZYX_EFFECTS
#define ZYX_EFFECTS

include "dialects/zyx/IR/ZyxBase.td"
include "mlir/IR/SymbolInterfaces.td"

// Kernels of the module, and writes to inputs.

def Zyx_KernelOp : Op<Zyx_Dialect, "kernel", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel of this module, written in zyxk";
  let description = [{
    `kernel` names a `zyxk.kernel` of the module whose input ports are the operands and whose output
    ports are the results, in order, with the same element types and shapes. It is run as it stands:
    no rule looks into it. It must write every element of its output ports: what it does not write is
    undefined.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Zyx_Tensor>:$operands);
  let results = (outs Variadic<Zyx_Tensor>:$results);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict `:` functional-type(operands, results)";
}

def Zyx_AssignOp : Op<Zyx_Dialect, "assign", [
    MemoryEffects<[MemWrite]>, AllTypesMatch<["target", "value", "result"]>]> {
  let summary = "writes a value into an input, or into a part of one";
  let description = [{
    `target` is an argument of the function, or a narrow, flip, permute or reshape of one; its
    elements are replaced by those of `value`. Writes to one input happen in the order of the
    program. Values that were read before stay what they were: an argument is its content at the
    start, `zyx.after` reads what a write left. The result is `value`.
  }];
  let arguments = (ins Zyx_Tensor:$target, Zyx_Tensor:$value);
  let results = (outs Zyx_Tensor:$result);
  let assemblyFormat = "$target `,` $value attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def Zyx_AfterOp : Op<Zyx_Dialect, "after", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "an input, or a part of one, as it is after a write";
  let description = [{
    `x` is what the target of an assign can be, `write` the result of an assign to the same input.
  }];
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$write);
  let results = (outs Zyx_Tensor:$result);
  let assemblyFormat = "$x `,` $write attr-dict `:` type($x) `,` type($write)";
  let hasVerifier = 1;
}

#endif
