#ifndef ZYX_CONTROL
#define ZYX_CONTROL

include "dialects/zyx/IR/ZyxBase.td"

// Ops with regions: what runs depends on values of the run. In the e-graph a result of one is a
// `call` of what its regions are (compiler/graph/Callee.h).
class Zyx_Control<string mnemonic> : Op<Zyx_Dialect, mnemonic, [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, NoRegionArguments]> {
  let results = (outs Variadic<Zyx_Tensor>:$results);
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Zyx_IfOp : Zyx_Control<"if"> {
  let summary = "the values of one region or of the other, as a condition says";
  let description = [{
    `condition` is a bool of rank 0. Only the region that is taken runs. Both may use values from
    outside, and end with `zyx.yield` of values of the same types.
  }];
  let arguments = (ins Zyx_Tensor:$condition);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition attr-dict `:` functional-type(operands, results) $thenRegion `else` $elseRegion
  }];
}

def Zyx_LoopOp : Op<Zyx_Dialect, "loop", [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "a region that runs again and again";
  let description = [{
    Iterations i = 0, 1, ... run as long as i < `limit`, a size, and a condition holds: `first`,
    then what the iteration before it yielded. The region's arguments are i (i64 of rank 0) and the
    carried values, at first `inits`. It yields a bool of rank 0, the carried values of the next
    iteration (of the same types), and any number of further values, which are collected. Results:
    the last carried values, then of each collected value a tensor [limit, ...] whose row i is that
    of iteration i, zero where none ran.
  }];
  let arguments = (ins Zyx_Tensor:$first, Variadic<Zyx_Tensor>:$inits, I64Attr:$limit);
  let results = (outs Variadic<Zyx_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `limit` custom<Size>($limit) `while` $first (`carry` $inits^)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Results that are collected values; those before are carried.
    mlir::ResultRange collected() { return getResults().drop_front(getInits().size()); }
  }];
}

def Zyx_YieldOp : Op<Zyx_Dialect, "yield", [
    Pure, Terminator, ParentOneOf<["IfOp", "LoopOp"]>]> {
  let summary = "the values of a region";
  let arguments = (ins Variadic<Zyx_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif
