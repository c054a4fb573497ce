// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// The declared type must be the inferred one.

%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reshape: the result has type 'tensor<6xf32>', operands and attributes give 'tensor<3x2xf32>'}}
%0 = zyx.reshape %x [3, 2] : tensor<2x3xf32> -> tensor<6xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{permute: the result has type 'tensor<2x3xf32>', operands and attributes give 'tensor<3x2xf32>'}}
%0 = zyx.permute %x [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [1, 3] -> tensor<1x3xf32>
// expected-error@+1 {{expand: the result has type 'tensor<1x3xf32>', operands and attributes give 'tensor<4x3xf32>'}}
%0 = zyx.expand %x [4, 3] : tensor<1x3xf32> -> tensor<1x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
%v = zyx.leaf "v" id 0 : f32 [] -> tensor<f32>
// expected-error@+1 {{pad: the result has type 'tensor<2x3xf32>', operands and attributes give 'tensor<3x5xf32>'}}
%0 = zyx.pad %x, %v low [1, 0] high [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{narrow: the result has type 'tensor<2x3xf32>', operands and attributes give 'tensor<1x2xf32>'}}
%0 = zyx.narrow %x starts [1, 0] sizes [1, 2] steps [1, 2] : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{flip: the result has type 'tensor<3x2xf32>', operands and attributes give 'tensor<2x3xf32>'}}
%0 = zyx.flip %x [0] : tensor<2x3xf32> -> tensor<3x2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{window: the result has type 'tensor<2x2xf32>', operands and attributes give 'tensor<2x2x2xf32>'}}
%0 = zyx.window %x sizes [2] strides [1] dilations [1] : tensor<2x3xf32> -> tensor<2x2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [5, 9] -> tensor<5x9xf32>
// expected-error@+1 {{window: the result has type 'tensor<1x2xf32>', operands and attributes give 'tensor<2x3x2x4xf32>'}}
%0 = zyx.window %x sizes [2, 4] strides [2, 1] dilations [2, 2] : tensor<5x9xf32> -> tensor<1x2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{view: the result has type 'tensor<2x3xf32>', operands and attributes give 'tensor<6xf32>'}}
%0 = zyx.view %x by affine_map<(d0) -> (d0 floordiv 3, d0 mod 3)> [6] : tensor<2x3xf32> -> tensor<2x3xf32>
