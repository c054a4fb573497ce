// Calls by name: a scalar function, a routine on whole ports.
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

def Zyxk_OpaqueOp : Zyxk_BodyOp<"opaque"> {
  let summary = "Runs a routine on whole ports: sort, top-k, a library's call";
  let description = [{
    `opaque @sort(%x, %y, %i) params(1) cost(R * N * 20)`. The routine reads the in ports and writes
    all of the out ports; nothing else is known of it here. It is found by its name in a table
    (runtime/routines/Routine.h), which says what ports and params it takes. `cost` is the number
    of operations at the dims of the kernel, 0 if it is left out.

    A kernel that runs a routine has no axes and no other op: a program puts it beside others.
  }];
  let arguments = (ins FlatSymbolRefAttr:$routine, Variadic<Zyxk_Port>:$ports,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$params,
                       OptionalAttr<AffineMapAttr>:$cost);
  let hasVerifier = 1;
}

#endif
