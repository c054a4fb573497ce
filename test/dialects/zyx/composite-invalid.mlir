// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Operands and attributes that composite ops refuse.

%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{matmul: f32[2,3] by f32[2,3]: inner dims 3 and 2 differ}}
%0 = zyx.matmul %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [] -> tensor<f32>
// expected-error@+1 {{matmul: f32[] by f32[]: a scalar is no matrix}}
%0 = zyx.matmul %x, %x : tensor<f32>, tensor<f32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%w = zyx.leaf "w" id 0 : f32 [6, 4, 3, 3] -> tensor<6x4x3x3xf32>
// expected-error@+1 {{conv: 3 groups do not divide 4 input and 6 output channels}}
%0 = zyx.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 3 : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32> -> tensor<1x6x6x6xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%w = zyx.leaf "w" id 0 : f32 [6, 3, 3, 3] -> tensor<6x3x3x3xf32>
// expected-error@+1 {{conv: w is f32[6,3,3,3], 4 channels a group are needed for x f32[1,4,8,8] and 1 groups}}
%0 = zyx.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : tensor<1x4x8x8xf32>, tensor<6x3x3x3xf32> -> tensor<1x6x6x6xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%w = zyx.leaf "w" id 0 : f32 [6, 4, 9, 3] -> tensor<6x4x9x3xf32>
// expected-error@+1 {{conv: a window of 9 elements, 1 apart, exceeds the extent 8}}
%0 = zyx.conv %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : tensor<1x4x8x8xf32>, tensor<6x4x9x3xf32> -> tensor<1x6x1x6xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%w = zyx.leaf "w" id 0 : f32 [6, 4, 3, 3] -> tensor<6x4x3x3xf32>
// expected-error@+1 {{conv: strides [0, 1] holds 0, the least is 1}}
%0 = zyx.conv %x, %w strides [0, 1] low [0, 0] high [0, 0] dilations [1, 1] groups 1 : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32> -> tensor<1x6x6x6xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
// expected-error@+1 {{max_pool: sizes [3] has 1 entries, 2 are needed}}
%0 = zyx.max_pool %x sizes [3] strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : i32 [1, 4, 8] -> tensor<1x4x8xi32>
// expected-error@+1 {{avg_pool: is not defined on i32}}
%0 = zyx.avg_pool %x sizes [2] strides [1] low [0] high [0] dilations [1] count [0] [0] : tensor<1x4x8xi32> -> tensor<1x4x7xi32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
%c = zyx.leaf "c" id 0 : f32 [3] -> tensor<3xf32>
// expected-error@+1 {{batch_norm: a parameter is f32[3], x f32[1,4,8,8] needs f32[4]}}
%0 = zyx.batch_norm %x, %c, %c, %c, %c epsilon 1.0e-05 : tensor<1x4x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
// expected-error@+1 {{lrn: size 0 is out of range}}
%0 = zyx.lrn %x size 0 alpha 1.0 beta 1.0 bias 1.0 : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 4, 8, 8] -> tensor<1x4x8x8xf32>
// expected-error@+1 {{softmax: axis 4 is out of range for rank 4}}
%0 = zyx.softmax %x over [4] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
// expected-error@+1 {{log_softmax: is not defined on i32}}
%0 = zyx.log_softmax %x over [0] : tensor<2xi32> -> tensor<2xi32>
// -----
%x = zyx.leaf "x" id 0 : i32 [2] -> tensor<2xi32>
%y = zyx.leaf "y" id 0 : i32 [3] -> tensor<3xi32>
// expected-error@+1 {{stack: operand types i32[2] and i32[3] differ}}
%0 = zyx.stack %x, %y axis 0 : tensor<2xi32>, tensor<3xi32> -> tensor<2x2xi32>
