// Heads that are too wide for tiles in workgroup memory are no attention: other families take them.
// RUN: zyx-opt %s -zyxk-lower-gpu=target=sm_90a | FileCheck %s
// RUN: zyxc kernel check %s --target=sm_90a --simulate | FileCheck %s --check-prefix=SAME
// CHECK: gpu.func @wide
// CHECK-SAME: known_block_size
// CHECK-NOT: mma
// SAME: all agree with the interpreter
zyxk.kernel @wide ports(%q, %k, %v: in f32[8, 4096], %o: out f32[8, 4096])
    axes(i < 8, j < 8, d < 4096, e < 4096) {
  %q0 = load %q[i, d] : f32
  %k0 = load %k[j, d] : f32
  %v0 = load %v[j, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
}
