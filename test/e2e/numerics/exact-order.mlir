// At level exact reductions and scans go by ascending index, with one rounding a step. The values tell any other order:
// 3e38 + 3e38 overflows unless -3e38 comes between, and 1 + 2^25 loses the 1.
// RUN: zyxc run %s --input ones --numerics exact | FileCheck %s
// RUN: zyxc run %s --input ones --numerics exact --target cpu:x86-64-v3 --threads 2 | FileCheck %s
// RUN: zyxc verify %s --input ones --numerics exact | FileCheck %s --check-prefix=VERIFY
// Comparing is tight there: what differs in a few elements is not hidden by large ones elsewhere.
// VERIFY: all agree with the interpreter (tolerance of level exact, largest difference
func.func @main(%ones: tensor<2x20xf32>) -> (tensor<2x20xf32>, tensor<2x20xf32>, tensor<20x2xf32>, tensor<2xf32>) {
  %values = zyx.constant dense<[
    [1.0, 33554432.0, -33554432.0, 3.0e38, 3.0e37, -3.0e38, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0],
    [3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38, 3.0e38, -3.0e38]
  ]> : tensor<2x20xf32>
  %x = zyx.mul %values, %ones : tensor<2x20xf32>, tensor<2x20xf32> -> tensor<2x20xf32>
  // CHECK: out0: f32[2,20]
  // CHECK-NEXT: {{^\[\[}}1, 3.35544e+07, 0, 3e+38, 3.3e+38, 3e+37,
  // CHECK: [3e+38, 0, 3e+38, 0, 3e+38, 0, 3e+38, 0,
  %a = zyx.scan_sum %x along 1 exclusive 0 reverse 0 : tensor<2x20xf32> -> tensor<2x20xf32>
  %b = zyx.scan_sum %x along 1 exclusive 1 reverse 1 : tensor<2x20xf32> -> tensor<2x20xf32>
  %t = zyx.permute %x [1, 0] : tensor<2x20xf32> -> tensor<20x2xf32>
  %c = zyx.scan_sum %t along 0 exclusive 0 reverse 0 : tensor<20x2xf32> -> tensor<20x2xf32>
  // CHECK: out3: f32[2]
  // CHECK-NEXT: {{^}}[3e+37, 0]
  %d = zyx.reduce_sum %x over [1] : tensor<2x20xf32> -> tensor<2xf32>
  return %a, %b, %c, %d : tensor<2x20xf32>, tensor<2x20xf32>, tensor<20x2xf32>, tensor<2xf32>
}
