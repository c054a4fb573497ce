// RUN: zyx-opt %s -canonicalize -split-input-file | FileCheck %s
// Large constants are resources: their bytes survive, a reshape folds without touching them, and
// verification does not read them.

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: zyx.constant dense_resource<weights> : tensor<1x4xf32>
// CHECK: weights: "0x040000000000803F000000400000404000008040"
func.func @reshape() -> tensor<1x4xf32> {
  %w = zyx.constant dense_resource<weights> : tensor<4xf32>
  %0 = zyx.reshape %w [1, 4] : tensor<4xf32> -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F000000400000404000008040"
    }
  }
#-}

// -----

// A resource without data is a valid constant that nothing folds through.
// CHECK-LABEL: func.func @elided
// CHECK: zyx.neg
func.func @elided() -> tensor<4xf32> {
  %w = zyx.constant dense_resource<missing> : tensor<4xf32>
  %0 = zyx.neg %w : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
