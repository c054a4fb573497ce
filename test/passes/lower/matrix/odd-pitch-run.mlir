// Rows whose pitch is no multiple of 16 bytes, packed before the product: nothing of a row's neighbours,
// which have infinities and NaNs, gets into it.
// RUN: zyxc kernel check %s --target sm_90a --simulate --non-finite 300 --schedule '#zyxk.mma<unit = wgmma>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --non-finite 300 --schedule '#zyxk.mma<unit = wgmma, cta = [256, 128, 64], group = 2>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate --non-finite 300 --schedule '#zyxk.mma<unit = mma>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate --non-finite 300 --schedule '#zyxk.mma<unit = fma>' | FileCheck %s

// The packed rows of %b are 384 elements apart: whole lines of the cache.
// CHECK: checked @eighths on sm_{{[^:]*}}: {{.*}} all agree
zyxk.kernel @eighths ports(%a: in f16[521, 61], %b: in f16[61, 375], %c: out f16[521, 375])
    axes(i < 521, j < 375, k < 61) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %o, %c[i, j] : f16
}

// CHECK: checked @fourths on sm_{{[^:]*}}: {{.*}} all agree
zyxk.kernel @fourths ports(%a: in bf16[2, 260, 78], %b: in bf16[2, 78, 48], %c: out f32[2, 260, 48])
    axes(e < 2, i < 260, j < 48, k < 78) {
  %x = load %a[e, i, k] : bf16
  %w = load %b[e, k, j] : bf16
  %s = contract %x, %w over [k] : bf16, bf16 -> f32
  store %s, %c[e, i, j] : f32
}

// CHECK: checked @halves on sm_{{[^:]*}}: {{.*}} all agree
zyxk.kernel @halves ports(%a: in f16[512, 20], %b: in f16[20, 136], %bias: in f16[136], %c: out f16[512, 136])
    axes(i < 512, j < 136, k < 20) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %v = load %bias[j] : f16
  %f = arith.extf %v : f16 to f32
  %h = arith.addf %s, %f : f32
  %o = arith.truncf %h : f32 to f16
  store %o, %c[i, j] : f16
}
