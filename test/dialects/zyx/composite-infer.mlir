// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

%x = zyx.leaf "x" id 0 : f32 [3] -> tensor<3xf32>
%y = zyx.leaf "y" id 0 : f32 [2, 3, 4] -> tensor<2x3x4xf32>
// expected-error@+1 {{matmul: the result has type 'tensor<4xf32>', operands and attributes give 'tensor<2x4xf32>'}}
%0 = zyx.matmul %x, %y : tensor<3xf32>, tensor<2x3x4xf32> -> tensor<4xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [5, 1, 2, 3] -> tensor<5x1x2x3xf32>
%y = zyx.leaf "y" id 0 : f32 [7, 3, 4] -> tensor<7x3x4xf32>
// expected-error@+1 {{matmul: the result has type 'tensor<5x2x4xf32>', operands and attributes give 'tensor<5x7x2x4xf32>'}}
%0 = zyx.matmul %x, %y : tensor<5x1x2x3xf32>, tensor<7x3x4xf32> -> tensor<5x2x4xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%w = zyx.leaf "w" id 0 : f32 [6, 2, 3, 3] -> tensor<6x2x3x3xf32>
// expected-error@+1 {{conv: the result has type 'tensor<1x4x8x8xf32>', operands and attributes give 'tensor<1x6x4x6xf32>'}}
%0 = zyx.conv %x, %w strides [2, 1] low [1, 0] high [1, 2] dilations [1, 2] groups 2 : tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
// expected-error@+1 {{max_pool: the result has type 'tensor<1x4x8x8xf32>', operands and attributes give 'tensor<1x4x6x6xf32>'}}
%0 = zyx.max_pool %x sizes [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
// expected-error@+1 {{avg_pool: the result has type 'tensor<1x4x8x8xf32>', operands and attributes give 'tensor<1x4x6x6xf32>'}}
%0 = zyx.avg_pool %x sizes [3, 3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] count [0, 0] [0, 0] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%c = zyx.leaf "c" id 0 : f32 [4] -> tensor<4xf32>
// expected-error@+1 {{batch_norm: the result has type 'tensor<4xf32>', operands and attributes give 'tensor<1x4x8x8xf32>'}}
%0 = zyx.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-05 : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
// expected-error@+1 {{lrn: the result has type 'tensor<4xf32>', operands and attributes give 'tensor<1x4x8x8xf32>'}}
%0 = zyx.lrn %x size 5 alpha 1.0 beta 1.0 bias 1.0 : tensor<1x4x8x8xf32> -> tensor<4xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{softmax: the result has type 'tensor<2xf32>', operands and attributes give 'tensor<2x3xf32>'}}
%0 = zyx.softmax %x over [1] : tensor<2x3xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{log_softmax: the result has type 'tensor<2x3xf64>', operands and attributes give 'tensor<2x3xf32>'}}
%0 = zyx.log_softmax %x over [1] : tensor<2x3xf32> -> tensor<2x3xf64>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{stack: the result has type 'tensor<2x2x3xf32>', operands and attributes give 'tensor<2x3x2xf32>'}}
%0 = zyx.stack %x, %x axis 2 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x2x3xf32>
