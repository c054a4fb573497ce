// Layer normalization of the rows of the sum of two tensors; the sum itself is not stored.
// RUN: zyxc kernel check %s --sizes 24 | FileCheck %s
// CHECK: checked @layer_norm_residual on host: {{.*}} all agree
zyxk.kernel @layer_norm_residual dims(R, N)
    ports(%x, %r: in f16[R, N], %g, %b: in f16[N], %y: out f16[R, N])
    axes(i < R, n < N) assume(N >= 1) {
  %x0 = load %x[i, n] : f16
  %r0 = load %r[i, n] : f16
  %x1 = arith.extf %x0 : f16 to f32
  %r1 = arith.extf %r0 : f16 to f32
  %a = arith.addf %x1, %r1 : f32
  %mean, %m2 = welford %a over [n] : f32
  %one = arith.constant 1.0 : f32
  %count = reduce add %one over [n] : f32
  %variance = arith.divf %m2, %count : f32
  %epsilon = arith.constant 1.0e-05 : f32
  %shifted = arith.addf %variance, %epsilon : f32
  %scale = math.rsqrt %shifted : f32
  %d = arith.subf %a, %mean : f32
  %unit = arith.mulf %d, %scale : f32
  %g0 = load %g[n] : f16
  %b0 = load %b[n] : f16
  %g1 = arith.extf %g0 : f16 to f32
  %b1 = arith.extf %b0 : f16 to f32
  %scaled = arith.mulf %unit, %g1 : f32
  %out = arith.addf %scaled, %b1 : f32
  %z = arith.truncf %out : f32 to f16
  store %z, %y[i, n] : f16
}
