// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{scan_sum: the result has type 'tensor<2x3xf32>', operands and attributes give 'tensor<2x3xf16>'}}
%0 = zyx.scan_sum %x along 0 exclusive 0 reverse 0 : tensor<2x3xf16> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{argsort: the result has type 'tensor<2x3xi32>', operands and attributes give 'tensor<2x3xi64>'}}
%0 = zyx.argsort %x descending 0 : tensor<2x3xf16> -> tensor<2x3xi32>
// -----
%x = zyx.leaf "x" id 0 : f16 [2, 3] -> tensor<2x3xf16>
// expected-error@+1 {{sort: the result has type 'tensor<3x2xf16>', operands and attributes give 'tensor<2x3xf16>'}}
%0 = zyx.sort %x descending 0 : tensor<2x3xf16> -> tensor<3x2xf16>
// -----
%x = zyx.leaf "x" id 0 : f32 [6] -> tensor<6xf32>
%i = zyx.leaf "i" id 1 : i64 [9] -> tensor<9xi64>
%u = zyx.leaf "u" id 2 : f32 [9] -> tensor<9xf32>
// expected-error@+1 {{scatter: the result has type 'tensor<9xf32>', operands and attributes give 'tensor<6xf32>'}}
%0 = zyx.scatter %x, %i, %u combine "none" : tensor<6xf32>, tensor<9xi64>, tensor<9xf32> -> tensor<9xf32>
// -----
%k = zyx.leaf "k" id 0 : ui32 [2] -> tensor<2xui32>
// expected-error@+1 {{random_bits: the result has type 'tensor<4xui32>', operands and attributes give 'tensor<4xui16>'}}
%0 = zyx.random_bits %k [4] to ui16 : tensor<2xui32> -> tensor<4xui32>
