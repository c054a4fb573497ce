// Ops that MLIR has no SPIR-V form of: trunc, and signed numbers from i1.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --validate --sizes 10 --work 1e7 | FileCheck %s
// CHECK-COUNT-2: all agree
zyxk.kernel @fops dims(N) ports(%x, %z: in f32[N], %a, %b, %c, %d, %e, %f, %g: out f32[N], %i: out i8[N]) axes(n < N) {
  %u = load %x[n] : f32
  %v = load %z[n] : f32
  %a0 = arith.remf %u, %v : f32
  %b0 = arith.maximumf %u, %v : f32
  %c0 = arith.minnumf %u, %v : f32
  %d0 = math.copysign %u, %v : f32
  %e0 = math.roundeven %u : f32
  %k = arith.constant 5.0 : f32
  %u5 = arith.mulf %u, %k : f32
  %f0 = math.trunc %u5 : f32
  %g0 = math.powf %u, %v : f32
  %p = arith.cmpf une, %u, %v : f32
  %q = arith.cmpf ueq, %u5, %v : f32
  %r = arith.cmpf ult, %u, %v : f32
  %s1 = arith.andi %p, %r : i1
  %s2 = arith.ori %s1, %q : i1
  %i0 = arith.extui %s2 : i1 to i8
  store %a0, %a[n] : f32
  store %b0, %b[n] : f32
  store %c0, %c[n] : f32
  store %d0, %d[n] : f32
  store %e0, %e[n] : f32
  store %f0, %f[n] : f32
  store %g0, %g[n] : f32
  store %i0, %i[n] : i8
}
zyxk.kernel @exts1 dims(N) ports(%x: in f32[N], %y: out i8[N], %z: out f32[N]) axes(n < N) {
  %v = load %x[n] : f32
  %c = arith.constant 0.1 : f32
  %p = arith.cmpf olt, %v, %c : f32
  %i = arith.extsi %p : i1 to i8
  %f = arith.sitofp %p : i1 to f32
  store %i, %y[n] : i8
  store %f, %z[n] : f32
}
