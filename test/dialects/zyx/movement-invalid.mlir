// RUN: zyx-opt %s -verify-diagnostics -split-input-file
// Attributes that movement ops refuse.

%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reshape: f32[2,3] has 6 elements, shape [5] has 5}}
%0 = zyx.reshape %x [5] : tensor<2x3xf32> -> tensor<5xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{reshape: shape [-1, 6] has a negative dim or too many elements}}
%0 = zyx.reshape %x [-1, 6] : tensor<2x3xf32> -> tensor<6xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{permute: perm [0, 0] is not a permutation of 2 axes}}
%0 = zyx.permute %x [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{expand: shape [2, 3] cannot be expanded to [4, 3]}}
%0 = zyx.expand %x [4, 3] : tensor<2x3xf32> -> tensor<4x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{pad: the value is f32[2,3], not f32[]}}
%0 = zyx.pad %x, %x low [0, 0] high [0, 0] : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
%v = zyx.leaf "v" id 0 : f32 [] -> tensor<f32>
// expected-error@+1 {{pad: low [-1, 0] holds -1, the least is 0}}
%0 = zyx.pad %x, %v low [-1, 0] high [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<1x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{narrow: start 1 with 2 elements by step 1 leaves axis 0 of f32[2,3]}}
%0 = zyx.narrow %x starts [1, 0] sizes [2, 3] steps [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{narrow: steps [0, 1] holds 0, the least is 1}}
%0 = zyx.narrow %x starts [0, 0] sizes [2, 3] steps [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{flip: axis 2 is out of range for rank 2}}
%0 = zyx.flip %x [2] : tensor<2x3xf32> -> tensor<2x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{window: a window of 2 elements, 3 apart, exceeds the extent 3}}
%0 = zyx.window %x sizes [2] strides [1] dilations [3] : tensor<2x3xf32> -> tensor<2x1x2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{view: map result d0 can leave axis 0 of f32[2,3] over shape [3, 3]}}
%0 = zyx.view %x by affine_map<(d0, d1) -> (d0, d1)> [3, 3] : tensor<2x3xf32> -> tensor<3x3xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{view: an index map may not use symbols}}
%0 = zyx.view %x by affine_map<(d0)[s0] -> (d0, s0)> [2] : tensor<2x3xf32> -> tensor<2xf32>
// -----
%x = zyx.leaf "x" id 0 : f32 [2, 3] -> tensor<2x3xf32>
// expected-error@+1 {{view: an index map holds a number over 288230376151711744}}
%0 = zyx.view %x by affine_map<(d0) -> (d0 * 1152921504606846976, 0)> [1] : tensor<2x3xf32> -> tensor<1xf32>
