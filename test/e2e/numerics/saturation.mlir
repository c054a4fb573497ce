// Functions at large arguments have their limits, and what multiplies a difference from a limit shows it: GELU of
// -1e6 is -0, of -inf NaN, not -1e6 times the last bit of erf.
// RUN: zyxc verify %s --input ones --rtol 1e-5 --atol 1e-6 | FileCheck %s
// RUN: zyxc verify %s --input ones --rtol 1e-5 --atol 1e-6 --numerics exact | FileCheck %s
// RUN: zyxc verify %s --input ones --rtol 1e-5 --atol 1e-6 --numerics algebra | FileCheck %s
// RUN: zyxc verify %s --input ones --rtol 1e-5 --atol 1e-6 --target cpu:x86-64-v3 | FileCheck %s
// RUN: zyxc verify %s --input ones --rtol 1e-5 --atol 1e-6 --target cuda:sm_90 --simulate | FileCheck %s
// CHECK: verified 16 outputs {{.*}}: all agree with the interpreter
func.func @main(%ones: tensor<16xf32>)
    -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>,
        tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %values = zyx.constant dense<[4.0, -4.0, 10.0, -10.0, 100.0, -100.0, 1.0e6, -1.0e6, 1.0e30, -1.0e30, 0x7F800000, 0xFF800000, 6.0, -6.0, 3.0e38, -3.0e38]> : tensor<16xf32>
  %x = zyx.mul %values, %ones : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %one = zyx.constant dense<1.0> : tensor<16xf32>
  %half = zyx.constant dense<0.5> : tensor<16xf32>
  %erf = zyx.erf %x : tensor<16xf32> -> tensor<16xf32>
  %tanh = zyx.tanh %x : tensor<16xf32> -> tensor<16xf32>
  %expm1 = zyx.expm1 %x : tensor<16xf32> -> tensor<16xf32>
  %atan = zyx.atan %x : tensor<16xf32> -> tensor<16xf32>
  // The distance from the limit, on both sides.
  %above = zyx.add %one, %erf : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %below = zyx.sub %one, %erf : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %far = zyx.mul %below, %values : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %overTanh = zyx.add %one, %tanh : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %underTanh = zyx.sub %one, %tanh : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %farTanh = zyx.mul %underTanh, %x : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %overExpm1 = zyx.add %one, %expm1 : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  // GELU by erf and by tanh, as they are exported.
  %root = zyx.constant dense<1.41421354> : tensor<16xf32>
  %scaled = zyx.div %x, %root : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %erfScaled = zyx.erf %scaled : tensor<16xf32> -> tensor<16xf32>
  %plusOne = zyx.add %erfScaled, %one : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %product = zyx.mul %x, %plusOne : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %gelu = zyx.mul %product, %half : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %halved = zyx.mul %x, %half : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %gelu2 = zyx.mul %halved, %plusOne : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %c = zyx.constant dense<0.044715> : tensor<16xf32>
  %k = zyx.constant dense<0.797884583> : tensor<16xf32>
  %square = zyx.mul %x, %x : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %cube = zyx.mul %square, %x : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %part = zyx.mul %cube, %c : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %sum = zyx.add %x, %part : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %inner = zyx.mul %sum, %k : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %tanhInner = zyx.tanh %inner : tensor<16xf32> -> tensor<16xf32>
  %plus = zyx.add %tanhInner, %one : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %geluTanh = zyx.mul %halved, %plus : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  // x * sigmoid(x).
  %minus = zyx.neg %x : tensor<16xf32> -> tensor<16xf32>
  %power = zyx.exp %minus : tensor<16xf32> -> tensor<16xf32>
  %denominator = zyx.add %power, %one : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  %sigmoid = zyx.recip %denominator : tensor<16xf32> -> tensor<16xf32>
  %silu = zyx.mul %x, %sigmoid : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  return %erf, %tanh, %expm1, %atan, %above, %below, %far, %overTanh, %underTanh, %farTanh, %overExpm1, %gelu, %geluTanh,
         %gelu2, %sigmoid, %silu
      : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>,
        tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
