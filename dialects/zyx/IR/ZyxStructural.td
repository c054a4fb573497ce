#ifndef ZYX_STRUCTURAL
#define ZYX_STRUCTURAL

include "dialects/zyx/IR/ZyxBase.td"

def Zyx_ConstantOp : Zyx_Op<"constant", [ConstantLike]> {
  let summary = "a tensor known at compile time; a value: equal constants are one";
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Zyx_LeafOp : Zyx_Op<"leaf"> {
  let summary = "a buffer given at run time; an identity: two leaves are never merged";
  let description = [{
    `id` tells leaves of one name, shape and dtype apart; function arguments become leaves whose
    id is the argument number.
  }];
  let arguments = (ins StrAttr:$name, TypeAttr:$dtype, DenseI64ArrayAttr:$shape, I64Attr:$id);
  let assemblyFormat = "$name `id` $id attr-dict `:` $dtype custom<Sizes>($shape) `->` type($result)";
}

def Zyx_VariableOp : Zyx_Op<"variable"> {
  let summary = "a size that is known at run time, as a rank-0 i64 tensor";
  let description = [{
    `name` is the text of a size: a variable, or an expression over variables such as
    "2 * N + 1". Variables are bound by the shapes of the inputs.
  }];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict `->` type($result)";
}

def Zyx_ContiguousOp : Zyx_Op<"contiguous"> {
  let summary = "x, stored in row-major order: no kernel computes through it";
  let arguments = (ins Zyx_Tensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let family = "Identity";
}

def Zyx_ToDeviceOp : Zyx_Op<"to_device"> {
  let summary = "x, stored on a device: \"cpu\", the only one so far";
  let arguments = (ins Zyx_Tensor:$x, StrAttr:$device);
  let assemblyFormat = "$x $device attr-dict `:` type($x) `->` type($result)";
  let family = "Identity";
}

def Zyx_IotaOp : Zyx_Op<"iota"> {
  let summary = "each element is its coordinate along axis";
  let arguments = (ins DenseI64ArrayAttr:$shape, I64Attr:$axis, TypeAttr:$dtype);
  let assemblyFormat = "custom<Sizes>($shape) `axis` $axis `to` $dtype attr-dict `->` type($result)";
}

def Zyx_ConcatOp : Zyx_Op<"concat"> {
  let summary = "tensors of one dtype joined along axis";
  let arguments = (ins Variadic<Zyx_Tensor>:$inputs, I64Attr:$axis);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)";
}

def Zyx_GatherOp : Zyx_Op<"gather"> {
  let summary = "rows of x along axis, picked by integer indices";
  let description = [{
    Result shape: x.shape with axis replaced by indices.shape. A negative index counts from the
    end; an index out of range is clamped to the nearest element.
  }];
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$indices, I64Attr:$axis);
  let assemblyFormat = [{
    $x `,` $indices `axis` $axis attr-dict `:` type($x) `,` type($indices) `->` type($result)
  }];
}

def Zyx_ContractOp : Zyx_Op<"contract"> {
  let summary = "sum of products over labelled axes (an einsum of two tensors)";
  let description = [{
    Each axis of x, y and the result has a label, a small integer; equal labels mean one index.
    Labels absent from `out` are summed. Every label of `out` occurs in x or y. Products and sums
    are formed in `accumulate` (f32 for f16, bf16 and f8; i32 for 8-bit integers; else the operand
    dtype), then converted to `dtype`.
  }];
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$y, DenseI64ArrayAttr:$lhs,
                   DenseI64ArrayAttr:$rhs, DenseI64ArrayAttr:$out, TypeAttr:$accumulate,
                   TypeAttr:$dtype);
  let assemblyFormat = [{
    $x $lhs `,` $y $rhs `->` $out `in` $accumulate `to` $dtype attr-dict
    `:` type($x) `,` type($y) `->` type($result)
  }];
}

// Result number `result` of callee number `callee` of the graph (compiler/graph/Callee.h).
def Zyx_CallOp : Zyx_GraphKind<"call", (ins Variadic<Zyx_Tensor>:$inputs, I64Attr:$callee,
                                        I64Attr:$result, TypeAttr:$dtype,
                                        DenseI64ArrayAttr:$shape)>;

#endif
