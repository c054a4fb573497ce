#ifndef ZYX_MOVEMENT
#define ZYX_MOVEMENT

include "dialects/zyx/IR/ZyxBase.td"

def Zyx_ReshapeOp : Zyx_Movement<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$x custom<Sizes>($shape) attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldMovement">.definition;
}

def Zyx_PermuteOp : Zyx_Movement<"permute"> {
  let summary = "axis i of the result is axis perm[i] of x";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$perm);
  let assemblyFormat = "$x $perm attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldMovement">.definition;
}

def Zyx_ExpandOp : Zyx_Movement<"expand"> {
  let summary = "broadcast: axes of size 1 are repeated to shape; the rank stays";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$x custom<Sizes>($shape) attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldMovement">.definition;
}

def Zyx_PadOp : Zyx_Movement<"pad"> {
  let summary = "low and high elements of a rank-0 value are added at each axis";
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$value, DenseI64ArrayAttr:$low,
                   DenseI64ArrayAttr:$high);
  let assemblyFormat = [{
    $x `,` $value `low` custom<Sizes>($low) `high` custom<Sizes>($high) attr-dict
    `:` type($x) `,` type($value) `->` type($result)
  }];
}

def Zyx_NarrowOp : Zyx_Movement<"narrow"> {
  let summary = "a window of each axis: element i is x[start + i * step]; steps are positive";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes,
                   DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $x `starts` custom<Sizes>($starts) `sizes` custom<Sizes>($sizes) `steps` $steps attr-dict `:` type($x) `->` type($result)
  }];
}

def Zyx_FlipOp : Zyx_Movement<"flip"> {
  let summary = "the listed axes reversed";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$x $axes attr-dict `:` type($x) `->` type($result)";
}

def Zyx_WindowOp : Zyx_Movement<"window"> {
  let summary = "sliding windows over the trailing axes";
  let description = [{
    With k = number of windowed axes (the last k of x), each axis of extent d becomes
    count = (d - (size - 1) * dilation - 1) / stride + 1 positions, and k axes of extent `size`
    are appended: result[.., p1..pk, r1..rk] = x[.., p1*stride1 + r1*dilation1, ..]. Pools,
    convolutions and local response normalization are reductions or contractions over windows.
  }];
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$dilations);
  let assemblyFormat = [{
    $x `sizes` $sizes `strides` $strides `dilations` $dilations attr-dict
    `:` type($x) `->` type($result)
  }];
}

def Zyx_ViewOp : Zyx_Movement<"view"> {
  let summary = "any chain of movement without pad, as one index map";
  let description = [{
    result[i] = x[map(i)], map a quasi-affine map from the result's coordinates to those of x
    (one dim per result axis, one expression per axis of x). Every coordinate is in bounds.
  }];
  let arguments = (ins Zyx_Tensor:$x, AffineMapAttr:$map, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$x `by` $map custom<Sizes>($shape) attr-dict `:` type($x) `->` type($result)";
}

#endif
