// A kernel that the user wrote stands beside those that zyxc makes, in a region, too.
// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc run %s --quiet --dump-after=rules 2>&1 | FileCheck %s --check-prefix=TEXT
// CHECK: verified 3 outputs
// TEXT: zyx.kernel @given0
// TEXT: zyxk.kernel @given0
zyxk.kernel @scaled ports(%x: in f32[6,5], %s: in f32[6], %y: out f32[6,5], %m: out f32[6]) axes(i < 6, j < 5) {
  %a = load %x[i, j] : f32
  %b = load %s[i] : f32
  %c = arith.mulf %a, %b : f32
  store %c, %y[i, j] : f32
  %d = reduce max %c over [j] : f32
  store %d, %m[i] : f32
}
func.func @main(%x: tensor<6x5xf32>, %s: tensor<6xf32>, %c: tensor<i1>) -> (tensor<6x5xf32>, tensor<6xf32>, tensor<6xf32>) {
  %e = zyx.exp %x : tensor<6x5xf32> -> tensor<6x5xf32>
  %r:2 = zyx.kernel @scaled(%e, %s) : (tensor<6x5xf32>, tensor<6xf32>) -> (tensor<6x5xf32>, tensor<6xf32>)
  %n = zyx.neg %r#1 : tensor<6xf32> -> tensor<6xf32>
  %i = zyx.if %c : (tensor<i1>) -> tensor<6xf32> {
    %k:2 = zyx.kernel @scaled(%x, %n) : (tensor<6x5xf32>, tensor<6xf32>) -> (tensor<6x5xf32>, tensor<6xf32>)
    zyx.yield %k#1 : tensor<6xf32>
  } else {
    zyx.yield %s : tensor<6xf32>
  }
  return %r#0, %n, %i : tensor<6x5xf32>, tensor<6xf32>, tensor<6xf32>
}
