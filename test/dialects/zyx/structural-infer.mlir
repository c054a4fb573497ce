// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

// expected-error@+1 {{constant: the result has type 'tensor<3xf32>', operands and attributes give 'tensor<2xf32>'}}
%0 = "zyx.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
// -----
// expected-error@+1 {{leaf: the result has type 'tensor<2xf64>', operands and attributes give 'tensor<2xf32>'}}
%0 = zyx.leaf "a" id 0 : f32 [2] -> tensor<2xf64>
// -----
// expected-error@+1 {{variable: the result has type 'tensor<i32>', operands and attributes give 'tensor<i64>'}}
%0 = zyx.variable "N" -> tensor<i32>
// -----
// expected-error@+1 {{iota: the result has type 'tensor<2xi64>', operands and attributes give 'tensor<2x3xi64>'}}
%0 = zyx.iota [2, 3] axis 1 to i64 -> tensor<2xi64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{concat: the result has type 'tensor<2x3xf32>', operands and attributes give 'tensor<2x6xf32>'}}
%0 = zyx.concat %x, %x axis 1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
%i = zyx.leaf "i" id 0 : i32 [4, 5] -> tensor<4x5xi32>
// expected-error@+1 {{gather: the result has type 'tensor<4x3xf32>', operands and attributes give 'tensor<4x5x3xf32>'}}
%0 = zyx.gather %x, %i axis 0 : tensor<2x3xf32>, tensor<4x5xi32> -> tensor<4x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{contract: the result has type 'tensor<2x2xf32>', operands and attributes give 'tensor<2xf16>'}}
%0 = zyx.contract %x [0, 1], %x [0, 1] -> [0] in f32 to f16 : tensor<2x3xf16>, tensor<2x3xf16> -> tensor<2x2xf32>
