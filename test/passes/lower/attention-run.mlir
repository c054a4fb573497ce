// Attention on the simulated GPU: windows of keys, heads that fill no chunk, shared keys, logits with
// loads, a maximum that is stored, every unit. Queries in registers need numeric tests (see
// docs/kernels.md).
// RUN: zyxc kernel check %s --target sm_90a --simulate | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --schedule '#zyxk.attn<unit = fma>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --schedule '#zyxk.attn<q = 128, kv = 128, unit = wgmma, warpgroups = 2, stages = 2>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --schedule '#zyxk.attn<q = 192, kv = 48, unit = wgmma, warpgroups = 3, stages = 2, regs = [24, 152], queries = reg>' | FileCheck %s

// CHECK: checked @window on sm_{{.*}}: all agree
zyxk.kernel @window ports(%q: in f16[4, 330, 64], %k, %v: in f16[2, 330, 64],
                          %o: out f16[4, 330, 64])
    axes(h < 4, i < 330, j < 330, d < 64, e < 64 where j <= i and j >= i - 100) {
  %q0 = load %q[h, i, d] : f16
  %k0 = load %k[h floordiv 2, j, d] : f16
  %v0 = load %v[h floordiv 2, j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %c = arith.constant 0.125 : f32
  %t = arith.mulf %s, %c : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to f16
  store %z, %o[h, i, e] : f16
}

// Late queries see all keys, early ones few; the layout is [rows, heads, columns].
// CHECK: checked @prefix on sm_{{.*}}: all agree
zyxk.kernel @prefix ports(%q: in bf16[150, 2, 40], %k: in bf16[200, 2, 40], %v: in bf16[200, 2, 24],
                          %o: out bf16[150, 2, 24], %lse: out f32[2, 150])
    axes(h < 2, i < 150, j < 200, d < 40, e < 24 where j <= i + 50) {
  %q0 = load %q[i, h, d] : bf16
  %k0 = load %k[j, h, d] : bf16
  %v0 = load %v[j, h, e] : bf16
  %s = contract %q0, %k0 over [d] : bf16, bf16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : bf16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to bf16
  store %z, %o[i, h, e] : bf16
  %g = math.log %l : f32
  %y = arith.addf %m, %g : f32
  store %y, %lse[h, i] : f32
}
