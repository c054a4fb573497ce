// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{reduce_sum: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xf16>'}}
%0 = zyx.reduce_sum %x over [1] : tensor<2x3xf16> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{reduce_prod: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xf16>'}}
%0 = zyx.reduce_prod %x over [1] : tensor<2x3xf16> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{reduce_max: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xf16>'}}
%0 = zyx.reduce_max %x over [1] : tensor<2x3xf16> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{reduce_min: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xf16>'}}
%0 = zyx.reduce_min %x over [1] : tensor<2x3xf16> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : i1 [2, 3] -> tensor<2x3xi1>
// expected-error@+1 {{reduce_and: the result has type 'tensor<2xi1>', operands and attributes give 'tensor<3xi1>'}}
%0 = zyx.reduce_and %x over [0] : tensor<2x3xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : i1 [2, 3] -> tensor<2x3xi1>
// expected-error@+1 {{reduce_or: the result has type 'tensor<2xi1>', operands and attributes give 'tensor<3xi1>'}}
%0 = zyx.reduce_or %x over [0] : tensor<2x3xi1> -> tensor<2xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{argmax: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi64>'}}
%0 = zyx.argmax %x over [1] last 0 : tensor<2x3xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{argmin: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2xi64>'}}
%0 = zyx.argmin %x over [1] last 0 : tensor<2x3xf32> -> tensor<2xf32>
