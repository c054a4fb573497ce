// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Operands and attributes that structural ops refuse.

// expected-error@+1 {{constant: type tensor<4xi7> has an element type that is not supported}}
%0 = zyx.constant dense<1> : tensor<4xi7>
// -----
// expected-error@+1 {{leaf: result shape [-2] has a negative dim or too many elements}}
%0 = zyx.leaf "a" id 0 : f32 [-2] -> tensor<2xf32>
// -----
// expected-error@+1 {{leaf: attribute 'dtype' must be an element type}}
%0 = zyx.leaf "a" id 0 : f80 [2] -> tensor<2xf32>
// -----
// expected-error@+1 {{iota: axis 2 is out of range for rank 2}}
%0 = zyx.iota [2, 3] axis 2 to i64 -> tensor<2x3xi64>
// -----
// expected-error@+1 {{iota: is not defined on bool}}
%0 = zyx.iota [2] axis 0 to i1 -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
%y = zyx.leaf "y" id 0 : i32 [2, 3] -> tensor<2x3xi32>
// expected-error@+1 {{concat: f32[2,3] and i32[2,3] cannot be joined along axis 0}}
%0 = zyx.concat %x, %y axis 0 : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<4x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{concat: axis 2 is out of range for rank 2}}
%0 = zyx.concat %x axis 2 : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
// expected-error@+1 {{concat: needs at least one operand, has none}}
%0 = "zyx.concat"() {axis = 0 : i64} : () -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{gather: indices are f32, not integers}}
%0 = zyx.gather %x, %x axis 0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
%y = zyx.leaf "y" id 0 : f32 [4, 5] -> tensor<4x5xf32>
// expected-error@+1 {{contract: label 1 has extent 3 and 4}}
%0 = zyx.contract %x [0, 1], %y [1, 2] -> [0, 2] in f32 to f32 : tensor<2x3xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{contract: out [7] holds label 7, which no operand has}}
%0 = zyx.contract %x [0, 1], %x [0, 1] -> [7] in f32 to f32 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{contract: products of f32 cannot be accumulated in i32}}
%0 = zyx.contract %x [0, 1], %x [0, 1] -> [] in i32 to f32 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [3] -> tensor<3xf32>
// expected-error@+1 {{to_device: there is no device 'gpu': use cpu}}
%0 = zyx.to_device %x "gpu" : tensor<3xf32> -> tensor<3xf32>
