// Attention on the host: both products are register tiles in functions of their own, keys and values
// of f32 are read where they are, narrower ones are packed.
// RUN: zyx-opt %s -zyxk-lower-host -split-input-file | FileCheck %s
// RUN: zyx-opt %s -zyxk-lower-host=vector-bits=256 -split-input-file | FileCheck %s --check-prefix AVX2

// Scores have lanes along the queries; outputs along the columns, and go on from memory.
// CHECK-LABEL: func.func private @plain_scores(
// CHECK-SAME: %{{.*}}: memref<65536xf32>, %{{.*}}: index, %{{.*}}: memref<{{[0-9]+}}xf32>
// CHECK: scf.for
// CHECK-COUNT-24: math.fma
// CHECK-LABEL: func.func private @plain_outputs(
// CHECK-SAME: memref<65536xf32>
// CHECK: vector.load
// CHECK: scf.for
// CHECK: math.fma
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: zyxk.num_tasks = {{[0-9]+}} : i64
// CHECK: call @plain_scores
// CHECK: math.exp2 %{{.*}} : vector<16xf32>
// CHECK: call @plain_outputs
// CHECK-NOT: zyxk.kernel
// AVX2: math.exp2 %{{.*}} : vector<8xf32>
zyxk.kernel @plain ports(%q, %k, %v: in f32[4, 256, 64], %o: out f32[4, 256, 64])
    axes(h < 4, i < 256, j < 256, d < 64, e < 64) {
  %q0 = load %q[h, i, d] : f32
  %k0 = load %k[h, j, d] : f32
  %v0 = load %v[h, j, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %c = arith.constant 0.125 : f32
  %t = arith.mulf %s, %c : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[h, i, e] : f32
}

// -----

// Halves are packed to f32; keys above the diagonal are masked only where a tile meets it.
// CHECK-LABEL: func.func private @causal_scores(
// CHECK-NOT: xf16
// CHECK-LABEL: func.func @causal(
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: scf.if %{{.*}} -> (vector<16xf32>)
zyxk.kernel @causal ports(%q, %k, %v: in f16[100, 40], %o: out f16[100, 40])
    axes(i < 100, j < 100, d < 40, e < 40 where j <= i) {
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to f16
  store %z, %o[i, e] : f16
}

// -----

// A weight that depends on the query, too, is not attention: the row nest takes it.
// CHECK-LABEL: func.func @relative(
// CHECK-NOT: call @relative_scores
zyxk.kernel @relative ports(%q, %k: in f32[50, 24], %v: in f32[99, 24], %o: out f32[50, 24])
    axes(i < 50, j < 50, d < 24, e < 24) {
  %q0 = load %q[i, d] : f32
  %k0 = load %k[j, d] : f32
  %v0 = load %v[i - j + 49, e] : f32
  %s = contract %q0, %k0 over [d] : f32, f32 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f32) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
}
