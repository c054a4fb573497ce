// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc verify %s --numerics=exact --threads=2 --seed=2 | FileCheck %s
// Types of less than a byte hold what was cast to them, and move; what is stored stays so.
// CHECK: verified 11 outputs
func.func @main(%x: tensor<5x9xf32>, %i: tensor<5x9xi32>, %n: tensor<5x9xi4>, %u: tensor<5x9xui2>, %f: tensor<5x9xf4E2M1FN>)
    -> (tensor<5x9xi4>, tensor<5x9xui4>, tensor<5x9xi2>, tensor<5x9xui2>, tensor<5x9xf4E2M1FN>, tensor<5x9xf32>,
        tensor<9x5xi4>, tensor<5x9xi32>, tensor<5x9xf16>, tensor<5x9xf32>, tensor<5x9xf32>) {
  %0 = zyx.cast %x to i4 : tensor<5x9xf32> -> tensor<5x9xi4>
  %1 = zyx.cast %i to ui4 : tensor<5x9xi32> -> tensor<5x9xui4>
  %2 = zyx.cast %i to i2 : tensor<5x9xi32> -> tensor<5x9xi2>
  %3 = zyx.cast %n to ui2 : tensor<5x9xi4> -> tensor<5x9xui2>
  %4 = zyx.cast %x to f4E2M1FN : tensor<5x9xf32> -> tensor<5x9xf4E2M1FN>
  %5 = zyx.cast %f to f32 : tensor<5x9xf4E2M1FN> -> tensor<5x9xf32>
  %6 = zyx.permute %n [1, 0] : tensor<5x9xi4> -> tensor<9x5xi4>
  %7 = zyx.cast %n to i32 : tensor<5x9xi4> -> tensor<5x9xi32>
  %8 = zyx.cast %u to f16 : tensor<5x9xui2> -> tensor<5x9xf16>
  %e = zyx.exp %x : tensor<5x9xf32> -> tensor<5x9xf32>
  %c = zyx.contiguous %e : tensor<5x9xf32> -> tensor<5x9xf32>
  %9 = zyx.neg %c : tensor<5x9xf32> -> tensor<5x9xf32>
  %d = zyx.to_device %x "cpu" : tensor<5x9xf32> -> tensor<5x9xf32>
  %10 = zyx.contiguous %d : tensor<5x9xf32> -> tensor<5x9xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<5x9xi4>, tensor<5x9xui4>, tensor<5x9xi2>, tensor<5x9xui2>, tensor<5x9xf4E2M1FN>, tensor<5x9xf32>, tensor<9x5xi4>, tensor<5x9xi32>, tensor<5x9xf16>, tensor<5x9xf32>, tensor<5x9xf32>
}
