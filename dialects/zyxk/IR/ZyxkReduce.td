// Body ops that combine values along axes: reduce, contract, expsum, welford, fold, scan.
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

def Zyxk_ExpsumOp : Zyxk_BodyOp<"expsum", [Pure]> {
  let summary = "Maximum and weighted sums of exponentials over axes, in one pass";
  let description = [{
    `%m, %l, %u = expsum %t over [j] weights(unit, %v : f16) : f32` gives m = max t, then one sum of
    e^(t - m) * w per weight w; `unit` is the weight 1. All results have the type of %t, f32 or f64,
    in which everything is computed. The axes of m and of a unit sum are those of %t without the
    summed ones; those of another sum are the axes of %t and of its weight without the summed ones.
    Over no points, and where every t is -inf, m is -inf and the sums are 0.
    Softmax, log-sum-exp, cross-entropy and attention are this op.
  }];
  let arguments = (ins AnyType:$value, Variadic<AnyType>:$weights, DenseI64ArrayAttr:$axes,
                       DenseBoolArrayAttr:$units);
  let results = (outs AnyType:$maximum, Variadic<AnyType>:$sums);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The weight of sum i; no value if it is 1.
    ::mlir::Value getWeight(unsigned sum);
    unsigned getNumSums() { return getUnits().size(); }
  }];
}

def Zyxk_WelfordOp : Zyxk_BodyOp<"welford", [Pure]> {
  let summary = "Mean and sum of squared deviations over axes, in one pass";
  let description = [{
    `%mean, %m2 = welford %v over [n] : f32`. Results have the type of %v, f32 or f64. The variance
    is m2 over the count of points, which follows from the axes. Over no points both are 0.
  }];
  let arguments = (ins AnyType:$value, DenseI64ArrayAttr:$axes);
  let results = (outs AnyType:$mean, AnyType:$m2);
  let hasVerifier = 1;
}

def Zyxk_FoldOp : Zyxk_BodyOp<"fold", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Combines values over axes by a step of one's own";
  let description = [{
    ```mlir
    %h = fold %a, %b over [t] init(%h0) step(%s: f32, %x: f32, %y: f32) {
      %p = arith.mulf %s, %x : f32
      %q = arith.addf %p, %y : f32
      yield %q : f32
    }
    ```
    The state begins as the values of `init`, each point of the axes replaces it by what `step`
    yields for the state and the values at that point, and the results are the last state. Over no
    points they are the values of `init`, which do not depend on the axes.

    `order serial` (the default) goes along one axis from its begin to its end. `order tree` and
    `order free` need a second region, `merge(%a: f32, %b: f32) { .. }`: the state of the points of
    one part followed by those of another one, from the states of both, each of which began with
    `init`. It must be associative and `init` neutral in it. With `tree` parts are contiguous and
    merged in order; with `free` merge is commutative, too, and points may be taken in any order,
    over several axes.

    A state is an integer of 8 to 64 bits or a float. The regions see their arguments only: states,
    then the values of a point (step), or the states of two parts (merge). They hold arith and math
    ops with one result.
  }];
  let arguments = (ins Variadic<AnyType>:$values, Variadic<AnyType>:$inits,
                       DenseI64ArrayAttr:$axes,
                       DefaultValuedAttr<Zyxk_ReduceOrderAttr, "ReduceOrder::Serial">:$order);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$step, AnyRegion:$merge);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Ops of the regions need no dialect prefix.
    static ::llvm::StringRef getDefaultDialect() { return "zyxk"; }
    bool hasMerge() { return !getMerge().empty(); }
    unsigned getNumStates() { return getInits().size(); }
  }];
}

def Zyxk_YieldOp : Zyxk_Op<"yield", [Pure, Terminator, HasParent<"FoldOp">]> {
  let summary = "The state that a region of a fold gives";
  let arguments = (ins Variadic<AnyType>:$states);
  let assemblyFormat = "($states^ `:` type($states))? attr-dict";
}

def Zyxk_ScanOp : Zyxk_BodyOp<"scan", [Pure]> {
  let summary = "Running combination of a value along an axis";
  let description = [{
    `scan add %v along n exclusive reverse : f32`. At each point of %v's axes: the values along the
    axis up to this point combined by the monoid (not an arg kind), or before it if `exclusive`
    (the first is then the identity); from the end if `reverse`.
  }];
  let arguments = (ins Zyxk_ReduceKindAttr:$kind, AnyType:$value, I64Attr:$axis,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

#endif
