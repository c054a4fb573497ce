#ifndef ZYX_ELEMENTWISE
#define ZYX_ELEMENTWISE

include "dialects/zyx/IR/ZyxBase.td"

// Arithmetic on every dtype but bool, unless said otherwise.
def Zyx_NegOp : Zyx_Unary<"neg", "-x; integers wrap">;
def Zyx_AbsOp : Zyx_Unary<"abs", "absolute value; the smallest integer wraps to itself">;
def Zyx_SignOp : Zyx_Unary<"sign", "-1, 0 or 1; NaN stays NaN, a zero keeps its sign">;
def Zyx_NotOp : Zyx_Unary<"not", "logical not of bool, bitwise not of integers">;

// Rounding, floats only.
def Zyx_CeilOp : Zyx_Unary<"ceil", "smallest integer not below x">;
def Zyx_FloorOp : Zyx_Unary<"floor", "largest integer not above x">;
def Zyx_RoundOp : Zyx_Unary<"round", "nearest integer, ties to even">;
def Zyx_TruncOp : Zyx_Unary<"trunc", "integer toward zero">;

// Functions, floats only.
def Zyx_SqrtOp : Zyx_Unary<"sqrt", "square root, correctly rounded">;
def Zyx_RsqrtOp : Zyx_Unary<"rsqrt", "1 / sqrt(x)">;
def Zyx_RecipOp : Zyx_Unary<"recip", "1 / x">;
def Zyx_ExpOp : Zyx_Unary<"exp", "e^x">;
def Zyx_Exp2Op : Zyx_Unary<"exp2", "2^x">;
def Zyx_Expm1Op : Zyx_Unary<"expm1", "e^x - 1">;
def Zyx_LogOp : Zyx_Unary<"log", "natural logarithm">;
def Zyx_Log2Op : Zyx_Unary<"log2", "logarithm to base 2">;
def Zyx_Log1pOp : Zyx_Unary<"log1p", "log(1 + x)">;
def Zyx_SinOp : Zyx_Unary<"sin", "sine">;
def Zyx_CosOp : Zyx_Unary<"cos", "cosine">;
def Zyx_TanOp : Zyx_Unary<"tan", "tangent">;
def Zyx_AsinOp : Zyx_Unary<"asin", "arc sine">;
def Zyx_AcosOp : Zyx_Unary<"acos", "arc cosine">;
def Zyx_AtanOp : Zyx_Unary<"atan", "arc tangent">;
def Zyx_SinhOp : Zyx_Unary<"sinh", "hyperbolic sine">;
def Zyx_CoshOp : Zyx_Unary<"cosh", "hyperbolic cosine">;
def Zyx_TanhOp : Zyx_Unary<"tanh", "hyperbolic tangent">;
def Zyx_AsinhOp : Zyx_Unary<"asinh", "inverse hyperbolic sine">;
def Zyx_AcoshOp : Zyx_Unary<"acosh", "inverse hyperbolic cosine">;
def Zyx_AtanhOp : Zyx_Unary<"atanh", "inverse hyperbolic tangent">;
def Zyx_ErfOp : Zyx_Unary<"erf", "error function">;

// Tests of a float: bool result.
def Zyx_IsNanOp : Zyx_Unary<"is_nan", "x is NaN">;
def Zyx_IsInfOp : Zyx_Unary<"is_inf", "x is an infinity">;

def Zyx_AddOp : Zyx_Binary<"add", "x + y; integers wrap", [Commutative]>;
def Zyx_SubOp : Zyx_Binary<"sub", "x - y; integers wrap">;
def Zyx_MulOp : Zyx_Binary<"mul", "x * y; integers wrap", [Commutative]>;
def Zyx_DivOp : Zyx_Binary<"div", "x / y; integers truncate toward zero">;
def Zyx_RemOp : Zyx_Binary<"rem", "remainder with the sign of x (C's % and fmod)">;
def Zyx_ModOp : Zyx_Binary<"mod", "remainder with the sign of y (Python's %)">;
def Zyx_PowOp : Zyx_Binary<"pow", "x to the power y">;
def Zyx_MaxOp : Zyx_Binary<"max", "larger value; NaN wins", [Commutative]>;
def Zyx_MinOp : Zyx_Binary<"min", "smaller value; NaN wins", [Commutative]>;
def Zyx_AndOp : Zyx_Binary<"and", "and of bools or of integers, bitwise", [Commutative]>;
def Zyx_OrOp : Zyx_Binary<"or", "or of bools or of integers, bitwise", [Commutative]>;
def Zyx_XorOp : Zyx_Binary<"xor", "exclusive or of bools or of integers, bitwise", [Commutative]>;
def Zyx_ShlOp : Zyx_Binary<"shl", "shift left; 0 beyond the width">;
def Zyx_ShrOp : Zyx_Binary<"shr", "shift right, arithmetic if signed; sign fill beyond the width">;

def Zyx_EqOp : Zyx_Compare<"eq", "x == y; false with NaN", [Commutative]>;
def Zyx_NeOp : Zyx_Compare<"ne", "x != y; true with NaN", [Commutative]>;
def Zyx_LtOp : Zyx_Compare<"lt", "x < y; false with NaN">;
def Zyx_LeOp : Zyx_Compare<"le", "x <= y; false with NaN">;
def Zyx_GtOp : Zyx_Compare<"gt", "x > y; false with NaN">;
def Zyx_GeOp : Zyx_Compare<"ge", "x >= y; false with NaN">;

def Zyx_SelectOp : Zyx_Op<"select"> {
  let summary = "x where condition holds, else y; all of one shape";
  let arguments = (ins Zyx_Tensor:$condition, Zyx_Tensor:$x, Zyx_Tensor:$y);
  let assemblyFormat = [{
    $condition `,` $x `,` $y attr-dict `:` type($condition) `,` type($x) `,` type($y)
    `->` type($result)
  }];
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldElementwise">.definition;
}

def Zyx_CastOp : Zyx_Op<"cast"> {
  let summary = "value conversion; docs/semantics.md says what happens out of range";
  let arguments = (ins Zyx_Tensor:$x, TypeAttr:$dtype);
  let assemblyFormat = "$x `to` $dtype attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = inferDefinition # Zyx_FoldBy<"foldElementwise">.definition;
}

def Zyx_BitcastOp : Zyx_Op<"bitcast"> {
  let summary = "the same bits as another dtype of equal width";
  let arguments = (ins Zyx_Tensor:$x, TypeAttr:$dtype);
  let assemblyFormat = "$x `to` $dtype attr-dict `:` type($x) `->` type($result)";
}

#endif
