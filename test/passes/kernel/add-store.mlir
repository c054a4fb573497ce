// The second value that can be stored, the row sum, gets a port of its own.
// RUN: zyx-opt %s --zyxk-add-store=value=1 | FileCheck %s
// RUN: not zyx-opt %s --zyxk-add-store=value=9 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: has 3 values that can be stored, not 10
// CHECK-LABEL: @rows
// CHECK-SAME: %out1: out f32[R, N], %out2: out f32[R])
// CHECK: %[[S:.*]] = reduce add
// CHECK: store %{{.*}}, %out1[r, n] : f32
// CHECK: store %[[S]], %out2[r] : f32
zyxk.kernel @rows dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [n] : f32
  %q = arith.divf %a, %s : f32
  store %q, %y[r, n] : f32
}
