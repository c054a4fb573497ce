// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{neg: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.neg %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{abs: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.abs %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{sign: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.sign %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{ceil: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.ceil %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{floor: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.floor %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{round: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.round %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{trunc: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.trunc %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{sqrt: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.sqrt %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{rsqrt: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.rsqrt %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{recip: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.recip %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{exp: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.exp %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{exp2: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.exp2 %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{expm1: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.expm1 %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{log: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.log %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{log2: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.log2 %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{log1p: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.log1p %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{sin: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.sin %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{cos: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.cos %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{tan: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.tan %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{asin: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.asin %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{acos: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.acos %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{atan: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.atan %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{sinh: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.sinh %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{cosh: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.cosh %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{tanh: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.tanh %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{asinh: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.asinh %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{acosh: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.acosh %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{atanh: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.atanh %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{erf: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.erf %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{is_nan: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.is_nan %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{is_inf: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.is_inf %x : tensor<2xf32> -> tensor<2xf64>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{not: the result has type 'tensor<3xi1>', operands and attributes give 'tensor<2xi1>'}}
%0 = zyx.not %x : tensor<2xi1> -> tensor<3xi1>
