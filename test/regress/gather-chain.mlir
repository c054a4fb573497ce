// RUN: zyxc verify %s --threads=1 | FileCheck %s
// CHECK: verified 1 outputs
// A value and rows of it meet again and again: equal positions are one coordinate, so a kernel of all
// steps has a load for each number of steps, not for each way through them (it took minutes).
func.func @main(%x: tensor<4x8xf32>, %i: tensor<4xi64>) -> tensor<4x8xf32> {
  %a0 = zyx.gather %x, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t0 = zyx.add %x, %a0 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a1 = zyx.gather %t0, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t1 = zyx.add %t0, %a1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a2 = zyx.gather %t1, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t2 = zyx.add %t1, %a2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a3 = zyx.gather %t2, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t3 = zyx.add %t2, %a3 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a4 = zyx.gather %t3, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t4 = zyx.add %t3, %a4 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a5 = zyx.gather %t4, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t5 = zyx.add %t4, %a5 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a6 = zyx.gather %t5, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t6 = zyx.add %t5, %a6 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a7 = zyx.gather %t6, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t7 = zyx.add %t6, %a7 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a8 = zyx.gather %t7, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t8 = zyx.add %t7, %a8 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a9 = zyx.gather %t8, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t9 = zyx.add %t8, %a9 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a10 = zyx.gather %t9, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t10 = zyx.add %t9, %a10 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a11 = zyx.gather %t10, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t11 = zyx.add %t10, %a11 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a12 = zyx.gather %t11, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t12 = zyx.add %t11, %a12 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a13 = zyx.gather %t12, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t13 = zyx.add %t12, %a13 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a14 = zyx.gather %t13, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t14 = zyx.add %t13, %a14 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a15 = zyx.gather %t14, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t15 = zyx.add %t14, %a15 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a16 = zyx.gather %t15, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t16 = zyx.add %t15, %a16 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a17 = zyx.gather %t16, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t17 = zyx.add %t16, %a17 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a18 = zyx.gather %t17, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t18 = zyx.add %t17, %a18 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a19 = zyx.gather %t18, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t19 = zyx.add %t18, %a19 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a20 = zyx.gather %t19, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t20 = zyx.add %t19, %a20 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a21 = zyx.gather %t20, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t21 = zyx.add %t20, %a21 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a22 = zyx.gather %t21, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t22 = zyx.add %t21, %a22 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a23 = zyx.gather %t22, %i axis 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %t23 = zyx.add %t22, %a23 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %t23 : tensor<4x8xf32>
}
