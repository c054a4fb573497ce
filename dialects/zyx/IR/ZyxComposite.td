#ifndef ZYX_COMPOSITE
#define ZYX_COMPOSITE

include "dialects/zyx/IR/ZyxBase.td"

def Zyx_MatmulOp : Zyx_Composite<"matmul"> {
  let summary = "matrix product as NumPy's matmul, with broadcast batch axes";
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$y);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y) `->` type($result)";
}

def Zyx_ConvOp : Zyx_Composite<"conv"> {
  let summary = "cross-correlation of x [N,C,D1..Dk] with w [O,C/groups,K1..Kk] into [N,O,P1..Pk]";
  let description = [{
    `low` and `high` are the zero padding of each spatial axis. Bias, if any, is a separate add.
  }];
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$w, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations,
                   I64Attr:$groups);
  let assemblyFormat = [{
    $x `,` $w `strides` $strides `low` $low `high` $high `dilations` $dilations `groups` $groups
    attr-dict `:` type($x) `,` type($w) `->` type($result)
  }];
}

// Pools of x [N,C,D1..Dk]. `high` already includes what ceil mode adds.
def Zyx_MaxPoolOp : Zyx_Composite<"max_pool"> {
  let summary = "largest value of each window; padding never wins";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations);
  let assemblyFormat = [{
    $x `sizes` $sizes `strides` $strides `low` $low `high` $high `dilations` $dilations
    attr-dict `:` type($x) `->` type($result)
  }];
}

def Zyx_AvgPoolOp : Zyx_Composite<"avg_pool"> {
  let summary = "mean of each window";
  let description = [{
    `count_low`/`count_high` are the padding that counts in the divisor: equal to low/high when
    padding is included, zero when it is not.
  }];
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations,
                   DenseI64ArrayAttr:$count_low, DenseI64ArrayAttr:$count_high);
  let assemblyFormat = [{
    $x `sizes` $sizes `strides` $strides `low` $low `high` $high `dilations` $dilations
    `count` $count_low $count_high attr-dict `:` type($x) `->` type($result)
  }];
}

def Zyx_BatchNormOp : Zyx_Composite<"batch_norm"> {
  let summary = "inference batch normalization of x [N,C,...] by vectors [C]";
  let description = [{
    s = scale / sqrt(var + epsilon), t = bias - mean * s, result = x * s + t.
  }];
  let arguments = (ins Zyx_Tensor:$x, Zyx_Tensor:$scale, Zyx_Tensor:$bias, Zyx_Tensor:$mean,
                   Zyx_Tensor:$var, F64Attr:$epsilon);
  let assemblyFormat = [{
    $x `,` $scale `,` $bias `,` $mean `,` $var `epsilon` $epsilon attr-dict
    `:` type($x) `,` type($scale) `,` type($bias) `,` type($mean) `,` type($var)
    `->` type($result)
  }];
}

def Zyx_LrnOp : Zyx_Composite<"lrn"> {
  let summary = "local response normalization of x [N,C,...] over windows of channels";
  let description = [{
    result = x / (bias + alpha / size * sum of x^2 over channels [c - (size-1)/2, c + size/2])^beta.
  }];
  let arguments = (ins Zyx_Tensor:$x, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias);
  let assemblyFormat = [{
    $x `size` $size `alpha` $alpha `beta` $beta `bias` $bias attr-dict
    `:` type($x) `->` type($result)
  }];
}

def Zyx_SoftmaxOp : Zyx_Composite<"softmax"> {
  let summary = "exp(x - max) / sum of it, over axes";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$x `over` $axes attr-dict `:` type($x) `->` type($result)";
}

def Zyx_LogSoftmaxOp : Zyx_Composite<"log_softmax"> {
  let summary = "x - max - log of the sum of exp(x - max), over axes";
  let arguments = (ins Zyx_Tensor:$x, DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$x `over` $axes attr-dict `:` type($x) `->` type($result)";
}

def Zyx_RandomBitsOp : Zyx_Composite<"random_bits"> {
  let summary = "random integers, a function of a key and the position of an element alone";
  let description = [{
    Threefry-2x32 with 20 rounds (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011)
    of the row-major number of the element, under `key` (two 32-bit words). u64: both words, the
    first one above; u32: their exclusive or, of which u8 and u16 are the low bits.
  }];
  let arguments = (ins Zyx_Tensor:$key, DenseI64ArrayAttr:$shape, TypeAttr:$dtype);
  let assemblyFormat = "$key custom<Sizes>($shape) `to` $dtype attr-dict `:` type($key) `->` type($result)";
}

def Zyx_StackOp : Zyx_Composite<"stack"> {
  let summary = "tensors of one type joined along a new axis";
  let arguments = (ins Variadic<Zyx_Tensor>:$inputs, I64Attr:$axis);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)";
}

#endif
