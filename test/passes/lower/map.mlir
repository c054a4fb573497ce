// RUN: zyx-opt %s --zyxk-lower-host=vector-bits=256 | FileCheck %s

// All axes become one; its last vector overlaps the one before it.
// CHECK-LABEL: func.func @relu(
// CHECK-SAME: memref<105xf32>, %{{.*}}: memref<105xf32>, %{{.*}}: memref<0xi8>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: zyxk.num_tasks = 1 : i64, zyxk.scratch_bytes = 0 : i64
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: vector.load %{{.*}} : memref<105xf32>, vector<8xf32>
// CHECK: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK: vector.store
// CHECK-NOT: scf.for
zyxk.kernel @relu ports(%x: in f32[3, 5, 7], %y: out f32[3, 5, 7]) axes(a < 3, b < 5, c < 7) {
  %zero = arith.constant 0.0 : f32
  %v = load %x[a, b, c] : f32
  %m = arith.maximumf %v, %zero : f32
  store %m, %y[a, b, c] : f32
}

// A lane-invariant load stays a scalar outside of the loop over lanes.
// CHECK-LABEL: func.func @bias(
// CHECK: memref.load
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.broadcast
// CHECK: vector.store
zyxk.kernel @bias ports(%x: in f32[4, 16], %b: in f32[4], %y: out f32[4, 16]) axes(r < 4, n < 16) {
  %v = load %x[r, n] : f32
  %c = load %b[r] : f32
  %s = arith.addf %v, %c : f32
  store %s, %y[r, n] : f32
}

// Gathered rows: contiguous along c; the index is clamped.
// CHECK-LABEL: func.func @rows(
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: vector.load
// CHECK-NOT: vector.gather
zyxk.kernel @rows ports(%x: in f32[10, 16], %p: in i64[6], %y: out f32[6, 16]) axes(i < 6, c < 16) {
  %k = load %p[i] : i64
  %at = arith.index_cast %k : i64 to index
  %v = load %x[%at, c] oob clamp : f32
  store %v, %y[i, c] : f32
}

// A condition that is the same at every lane is a branch, another one is a mask.
// CHECK-LABEL: func.func @pad(
// CHECK: arith.cmpi sge, %{{.*}} : vector<8xi32>
// CHECK: scf.if %{{.*}} -> (vector<8xf32>)
// CHECK: vector.maskedload
// CHECK: arith.select
// CHECK: else
zyxk.kernel @pad ports(%x: in f32[4, 14], %y: out f32[6, 16]) axes(r < 6, n < 16) {
  %zero = arith.constant 0.0 : f32
  %v = load %x[r - 1, n - 1] : f32
  %w = where %v if (r >= 1 and r < 5 and n >= 1 and n < 15) else %zero : f32
  store %w, %y[r, n] : f32
}

// A small window is unrolled around a vector accumulator; every second element is a shuffle.
// CHECK-LABEL: func.func @window(
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.load
// CHECK: vector.shuffle %{{.*}} [0, 2, 4, 6, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: vector.store
zyxk.kernel @window ports(%x: in f32[8, 32], %y: out f32[4, 16]) axes(h < 4, w < 16, r < 2, s < 2) {
  %v = load %x[h * 2 + r, w * 2 + s] : f32
  %m = reduce add %v over [r, s] : f32
  store %m, %y[h, w] : f32
}

// The schedule decides the width.
// CHECK-LABEL: func.func @narrow(
// CHECK: vector<4xf32>
zyxk.kernel @narrow ports(%x: in f32[64], %y: out f32[64]) axes(i < 64) {
  %v = load %x[i] : f32
  %n = arith.negf %v : f32
  store %n, %y[i] : f32
} schedule #zyxk.map<vec = 4>
