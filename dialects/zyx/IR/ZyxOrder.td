#ifndef ZYX_ORDER
#define ZYX_ORDER

include "dialects/zyx/IR/ZyxBase.td"

// Prefix forms along `axis`: element i combines those up to it, without it if `exclusive` is 1
// (the first element is then the identity: 0, 1, lowest, highest), from the end if `reverse` is 1.
// The shape and dtype are those of x; narrow floats accumulate in f32. Not defined on bool.
class Zyx_Scan<string mnemonic, string text> : Zyx_Op<mnemonic> {
  let summary = text;
  let arguments = (ins Zyx_Tensor:$x, I64Attr:$axis, I64Attr:$exclusive, I64Attr:$reverse);
  let assemblyFormat = [{
    $x `along` $axis `exclusive` $exclusive `reverse` $reverse attr-dict
    `:` type($x) `->` type($result)
  }];
  let family = "Scan";
}
def Zyx_ScanSumOp : Zyx_Scan<"scan_sum", "running sums; integers wrap">;
def Zyx_ScanProdOp : Zyx_Scan<"scan_prod", "running products; integers wrap">;
def Zyx_ScanMaxOp : Zyx_Scan<"scan_max", "running maxima; NaN wins">;
def Zyx_ScanMinOp : Zyx_Scan<"scan_min", "running minima; NaN wins">;

// Rows of the last axis in order, rising, or falling if `descending` is 1. Stable; NaN is the
// largest value and -0.0 equals 0.0.
class Zyx_SortLast<string mnemonic, string text> : Zyx_Op<mnemonic> {
  let summary = text;
  let arguments = (ins Zyx_Tensor:$x, I64Attr:$descending);
  let assemblyFormat = "$x `descending` $descending attr-dict `:` type($x) `->` type($result)";
  let family = "Order";
}
def Zyx_SortOp : Zyx_SortLast<"sort", "the last axis sorted">;
def Zyx_ArgSortOp : Zyx_SortLast<"argsort", "positions (i64) that sort the last axis">;

def Zyx_ScatterOp : Zyx_Op<"scatter"> {
  let summary = "x with rows replaced by, or combined with, rows of updates";
  let description = [{
    Shapes: x [N, ..], indices [M], updates [M, ..]. Row j of updates goes to row indices[j] of the
    result, by `combine`: "none" (replace), "add", "mul", "max" or "min", in the order of j: of equal
    indices the last one wins. Updates come after all of x was read. A negative index counts from
    the end; a row whose index is out of range is dropped. Each step of "add" and "mul" rounds to
    the dtype.
  }];
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$indices, Zyx_Tensor:$updates, StrAttr:$combine);
  let assemblyFormat = [{
    $x `,` $indices `,` $updates `combine` $combine attr-dict
    `:` type($x) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let family = "Order";
}

#endif
