// Sums of few columns: the accumulators of all of them stay in registers, and rows are read in the order of memory.
// RUN: zyx-opt %s --zyxk-lower-host=vector-bits=256 | FileCheck %s

// Eight vectors a row, two rows a turn.
// CHECK-LABEL: func.func @sums(
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-COUNT-16: arith.addf %{{.*}} : vector<8xf32>
// CHECK: scf.yield
zyxk.kernel @sums ports(%x: in f32[4096, 64], %y: out f32[64]) axes(r < 4096, n < 64) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
} schedule #zyxk.col<>
