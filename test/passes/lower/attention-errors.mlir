// What the attention family does not take says why.
// RUN: zyx-opt %s -zyxk-lower-gpu=target=sm_90a -split-input-file -verify-diagnostics

// expected-error @+1 {{cannot be lowered as attention: matrix units take f16 or bf16}}
zyxk.kernel @type ports(%q, %k, %v: in f32[256, 64], %o: out f32[256, 64])
    axes(i < 256, j < 256, d < 64, e < 64) {
  %q0 = load %q[i, d] : f32
  %k0 = load %k[j, d] : f32
  %v0 = load %v[j, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
} schedule #zyxk.attn<q = 256, kv = 64, unit = wgmma, warpgroups = 4, copy = tma>

// -----

// expected-error @+1 {{cannot be lowered as attention: matrix units take contiguous columns and strides of a multiple of 16 bytes}}
zyxk.kernel @transposed ports(%q: in f16[256, 64], %k: in f16[64, 256], %v: in f16[256, 64],
                              %o: out f32[256, 64])
    axes(i < 256, j < 256, d < 64, e < 64) {
  %q0 = load %q[i, d] : f16
  %k0 = load %k[d, j] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
} schedule #zyxk.attn<unit = wgmma, copy = tma>

// -----

// expected-error @+1 {{cannot be lowered as attention: its tiles take 262304 bytes of shared memory, sm_90a has 232448}}
zyxk.kernel @stages ports(%q, %k, %v: in f16[256, 64], %o: out f32[256, 64])
    axes(i < 256, j < 256, d < 64, e < 64) {
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
} schedule #zyxk.attn<q = 256, kv = 192, unit = wgmma, warpgroups = 4, stages = 4, copy = tma>

// -----

// expected-error @+1 {{its schedule is of another family than its body}}
zyxk.kernel @family ports(%q, %k, %v: in f16[256, 64], %o: out f32[256, 64])
    axes(i < 256, j < 256, d < 64, e < 64) {
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
} schedule #zyxk.row<vec = 4>
