// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Dtypes that a unary op is not defined on, and wrong result types.

%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{neg: is not defined on bool}}
%0 = zyx.neg %x : tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{abs: is not defined on bool}}
%0 = zyx.abs %x : tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{sign: is not defined on bool}}
%0 = zyx.sign %x : tensor<2xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{ceil: is not defined on i32}}
%0 = zyx.ceil %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{floor: is not defined on i32}}
%0 = zyx.floor %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{round: is not defined on i32}}
%0 = zyx.round %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{trunc: is not defined on i32}}
%0 = zyx.trunc %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{sqrt: is not defined on i32}}
%0 = zyx.sqrt %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{rsqrt: is not defined on i32}}
%0 = zyx.rsqrt %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{recip: is not defined on i32}}
%0 = zyx.recip %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{exp: is not defined on i32}}
%0 = zyx.exp %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{exp2: is not defined on i32}}
%0 = zyx.exp2 %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{expm1: is not defined on i32}}
%0 = zyx.expm1 %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{log: is not defined on i32}}
%0 = zyx.log %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{log2: is not defined on i32}}
%0 = zyx.log2 %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{log1p: is not defined on i32}}
%0 = zyx.log1p %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{sin: is not defined on i32}}
%0 = zyx.sin %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{cos: is not defined on i32}}
%0 = zyx.cos %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{tan: is not defined on i32}}
%0 = zyx.tan %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{asin: is not defined on i32}}
%0 = zyx.asin %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{acos: is not defined on i32}}
%0 = zyx.acos %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{atan: is not defined on i32}}
%0 = zyx.atan %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{sinh: is not defined on i32}}
%0 = zyx.sinh %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{cosh: is not defined on i32}}
%0 = zyx.cosh %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{tanh: is not defined on i32}}
%0 = zyx.tanh %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{asinh: is not defined on i32}}
%0 = zyx.asinh %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{acosh: is not defined on i32}}
%0 = zyx.acosh %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{atanh: is not defined on i32}}
%0 = zyx.atanh %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{erf: is not defined on i32}}
%0 = zyx.erf %x : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{is_nan: is not defined on i32}}
%0 = zyx.is_nan %x : tensor<2xi32> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{is_inf: is not defined on i32}}
%0 = zyx.is_inf %x : tensor<2xi32> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{not: is not defined on f32}}
%0 = zyx.not %x : tensor<2xf32> -> tensor<2xf32>
