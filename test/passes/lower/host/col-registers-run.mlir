// Sums of few columns, whose accumulators stay in registers: two of them, ragged sizes, an axis outside.
// RUN: zyxc kernel check %s --sizes 12 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --target host-avx2 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --target host-scalar | FileCheck %s

// CHECK: checked @ragged on host{{.*}}: {{.*}} all agree
zyxk.kernel @ragged dims(B, R, N) ports(%x: in f32[B, R, N], %y: out f32[B, N], %z: out f32[B, N])
    axes(b < B, r < R, n < N) assume(R >= 40 and N >= 8 and N <= 40) {
  %a = load %x[b, r, n] : f32
  %s = reduce add %a over [r] : f32
  %m = reduce max %a over [r] : f32
  %t = arith.addf %s, %m : f32
  store %t, %y[b, n] : f32
  store %m, %z[b, n] : f32
} schedule #zyxk.col<>
