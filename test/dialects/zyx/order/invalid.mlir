// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Operands and attributes that ordered ops refuse.

%x = zyx.leaf "x" id 0 : i1 [2, 3] -> tensor<2x3xi1>
// expected-error@+1 {{scan_sum: is not defined on bool}}
%0 = zyx.scan_sum %x along 0 exclusive 0 reverse 0 : tensor<2x3xi1> -> tensor<2x3xi1>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{scan_max: axis 2 is out of range for f32[2,3]}}
%0 = zyx.scan_max %x along 2 exclusive 0 reverse 0 : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [] -> tensor<f32>
// expected-error@+1 {{scan_min: axis 0 is out of range for f32[]}}
%0 = zyx.scan_min %x along 0 exclusive 0 reverse 0 : tensor<f32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{scan_prod: exclusive is 2, not 0 or 1}}
%0 = zyx.scan_prod %x along 1 exclusive 2 reverse 0 : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [] -> tensor<f32>
// expected-error@+1 {{sort: needs a tensor with an axis, not f32[]}}
%0 = zyx.sort %x descending 0 : tensor<f32> -> tensor<f32>
// -----
%x = zyx.leaf "x" id 0 : f32 [3] -> tensor<3xf32>
// expected-error@+1 {{argsort: descending is -1, not 0 or 1}}
%0 = zyx.argsort %x descending -1 : tensor<3xf32> -> tensor<3xi64>
// -----
%x = zyx.leaf "x" id 0 : f32 [6, 4] -> tensor<6x4xf32>
%i = zyx.leaf "i" id 1 : i64 [9] -> tensor<9xi64>
%u = zyx.leaf "u" id 2 : f32 [9, 5] -> tensor<9x5xf32>
// expected-error@+1 {{scatter: updates are f32[9,5], not f32[9,4]}}
%0 = zyx.scatter %x, %i, %u combine "none" : tensor<6x4xf32>, tensor<9xi64>, tensor<9x5xf32> -> tensor<6x4xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [6, 4] -> tensor<6x4xf32>
%i = zyx.leaf "i" id 1 : f32 [9] -> tensor<9xf32>
%u = zyx.leaf "u" id 2 : f32 [9, 4] -> tensor<9x4xf32>
// expected-error@+1 {{scatter: indices are f32[9], not a list of integers}}
%0 = zyx.scatter %x, %i, %u combine "none" : tensor<6x4xf32>, tensor<9xf32>, tensor<9x4xf32> -> tensor<6x4xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [6, 4] -> tensor<6x4xf32>
%i = zyx.leaf "i" id 1 : i64 [9] -> tensor<9xi64>
%u = zyx.leaf "u" id 2 : f32 [9, 4] -> tensor<9x4xf32>
// expected-error@+1 {{scatter: combine is 'plus', not none, add, mul, max or min}}
%0 = zyx.scatter %x, %i, %u combine "plus" : tensor<6x4xf32>, tensor<9xi64>, tensor<9x4xf32> -> tensor<6x4xf32>
// -----
%x = zyx.leaf "x" id 0 : i1 [6] -> tensor<6xi1>
%i = zyx.leaf "i" id 1 : i64 [9] -> tensor<9xi64>
%u = zyx.leaf "u" id 2 : i1 [9] -> tensor<9xi1>
// expected-error@+1 {{scatter: combine add is not defined on bool}}
%0 = zyx.scatter %x, %i, %u combine "add" : tensor<6xi1>, tensor<9xi64>, tensor<9xi1> -> tensor<6xi1>
// -----
%k = zyx.leaf "k" id 0 : ui32 [3] -> tensor<3xui32>
// expected-error@+1 {{random_bits: key is u32[3], not u32[2]}}
%0 = zyx.random_bits %k [4] to ui32 : tensor<3xui32> -> tensor<4xui32>
// -----
%k = zyx.leaf "k" id 0 : ui32 [2] -> tensor<2xui32>
// expected-error@+1 {{random_bits: gives unsigned integers, not f32}}
%0 = zyx.random_bits %k [4] to f32 : tensor<2xui32> -> tensor<4xf32>
