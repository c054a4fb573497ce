// Body ops that remove axes: reduce, contract.
#ifndef ZYXK_REDUCE
#define ZYXK_REDUCE

include "dialects/zyxk/IR/ZyxkAccess.td"

def Zyxk_ReduceOp : Zyxk_BodyOp<"reduce", [Pure]> {
  let summary = "Combines a value over axes by a monoid";
  let description = [{
    `reduce add %v over [c, h] order tree : f32`. The result has the type of the value, except that
    the arg kinds give the i64 position along their one axis: `reduce argmax %v over [n] : f32 ->
    i64`; the first of equal elements, or the last with `last`; NaN is the extreme value.
    Over no points the result is the identity of the monoid.
  }];
  let arguments = (ins Zyxk_ReduceKindAttr:$kind, AnyType:$value, DenseI64ArrayAttr:$axes,
                       DefaultValuedAttr<Zyxk_ReduceOrderAttr, "ReduceOrder::Free">:$order,
                       UnitAttr:$last);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// argmax, argmin and their unsigned forms.
    bool isArg() { return getKind() >= ReduceKind::ArgMax; }
  }];
}

def Zyxk_ContractOp : Zyxk_BodyOp<"contract", [Pure]> {
  let summary = "Sum of products over axes";
  let description = [{
    `contract %a, %b over [k] : bf16, bf16 -> f32`. Products and sums are formed in the result type.
    Roles follow from axis sets: axes of both operands are batch axes (or summed, if listed), axes
    of one operand only are M or N.
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, DenseI64ArrayAttr:$axes);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

#endif
