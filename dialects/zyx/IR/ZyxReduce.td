#ifndef ZYX_REDUCE
#define ZYX_REDUCE

include "dialects/zyx/IR/ZyxBase.td"

// The result dtype is that of x; narrow floats accumulate in f32. Over no elements: the identity
// (0, 1, lowest, highest, true, false).
def Zyx_ReduceSumOp : Zyx_Reduce<"reduce_sum", "sum; integers wrap">;
def Zyx_ReduceProdOp : Zyx_Reduce<"reduce_prod", "product; integers wrap">;
def Zyx_ReduceMaxOp : Zyx_Reduce<"reduce_max", "largest value; NaN wins">;
def Zyx_ReduceMinOp : Zyx_Reduce<"reduce_min", "smallest value; NaN wins">;
def Zyx_ReduceAndOp : Zyx_Reduce<"reduce_and", "and of bools or integers">;
def Zyx_ReduceOrOp : Zyx_Reduce<"reduce_or", "or of bools or integers">;

// Index (i64) of the extreme value along the one axis; the first one, or the last if `last` is 1.
// NaN counts as the extreme value.
class Zyx_ArgReduce<string mnemonic, string text> : Zyx_Op<mnemonic> {
  let summary = text;
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$axes, I64Attr:$last);
  let assemblyFormat = "$x `over` $axes `last` $last attr-dict `:` type($x) `->` type($result)";
  let family = "Reduce";
}
def Zyx_ArgMaxOp : Zyx_ArgReduce<"argmax", "index of the largest value">;
def Zyx_ArgMinOp : Zyx_ArgReduce<"argmin", "index of the smallest value">;

#endif
