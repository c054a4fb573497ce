// A scalar function by name.
#ifndef ZYXK_SCALAR
#define ZYXK_SCALAR

include "dialects/zyxk/IR/ZyxkAccess.td"

def Zyxk_ScalarOp : Zyxk_BodyOp<"scalar", [Pure]> {
  let summary = "A scalar function of zyx, by name";
  let description = [{
    `scalar @gelu_tanh(%h) : f32`. The functions are listed in dialects/zyxk/scalar; operands and
    result have one float type. The pass `zyxk-inline-scalars` replaces the call by arith and math
    ops with zyx semantics.
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

#endif
