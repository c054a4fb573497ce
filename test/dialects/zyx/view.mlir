// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// A view's index map is an affine map; ceildiv is allowed.

// CHECK-DAG: #[[$SPLIT:.+]] = affine_map<(d0, d1) -> (d1 mod 2, d0 floordiv 2)>
// CHECK-DAG: #[[$CEIL:.+]] = affine_map<(d0) -> (d0 ceildiv 8, d0 mod 3)>

// CHECK-LABEL: func.func @view(
func.func @view(%x: tensor<2x3xf32>) -> tensor<8xf32> {
  // CHECK: zyx.view %{{.*}} by #[[$SPLIT]] [6, 2] : tensor<2x3xf32> -> tensor<6x2xf32>
  %0 = zyx.view %x by affine_map<(d0, d1) -> (d1 mod 2, d0 floordiv 2)> [6, 2] : tensor<2x3xf32> -> tensor<6x2xf32>
  // CHECK: zyx.view %{{.*}} by #[[$CEIL]] [8] : tensor<2x3xf32> -> tensor<8xf32>
  %1 = zyx.view %x by affine_map<(d0) -> (d0 ceildiv 8, d0 mod 3)> [8] : tensor<2x3xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
