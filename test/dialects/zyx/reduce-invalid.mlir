// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Axes and dtypes that reductions refuse.

%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{reduce_sum: is not defined on bool}}
%0 = zyx.reduce_sum %x over [0] : tensor<2xi1> -> tensor<i1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{reduce_prod: is not defined on bool}}
%0 = zyx.reduce_prod %x over [0] : tensor<2xi1> -> tensor<i1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{reduce_max: is not defined on bool}}
%0 = zyx.reduce_max %x over [0] : tensor<2xi1> -> tensor<i1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2] -> tensor<2xi1>
// expected-error@+1 {{reduce_min: is not defined on bool}}
%0 = zyx.reduce_min %x over [0] : tensor<2xi1> -> tensor<i1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{reduce_and: is not defined on f32}}
%0 = zyx.reduce_and %x over [0] : tensor<2xf32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2] -> tensor<2xf32>
// expected-error@+1 {{reduce_or: is not defined on f32}}
%0 = zyx.reduce_or %x over [0] : tensor<2xf32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{argmax: axes [0, 1] must name one axis}}
%0 = zyx.argmax %x over [0, 1] last 0 : tensor<2x3xf32> -> tensor<i64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{argmin: axes [0, 1] must name one axis}}
%0 = zyx.argmin %x over [0, 1] last 0 : tensor<2x3xf32> -> tensor<i64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 0] -> tensor<2x0xf32>
// expected-error@+1 {{argmax: axis 1 of f32[2,0] has no elements}}
%0 = zyx.argmax %x over [1] last 0 : tensor<2x0xf32> -> tensor<2xi64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reduce_sum: axis 2 is out of range for rank 2}}
%0 = zyx.reduce_sum %x over [2] : tensor<2x3xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reduce_sum: axis -1 is out of range for rank 2}}
%0 = zyx.reduce_sum %x over [-1] : tensor<2x3xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reduce_max: axes [1, 0] are not sorted}}
%0 = zyx.reduce_max %x over [1, 0] : tensor<2x3xf32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reduce_max: axes [1, 1] name axis 1 twice}}
%0 = zyx.reduce_max %x over [1, 1] : tensor<2x3xf32> -> tensor<2xf32>
