// A load with a value outside becomes a guarded load, or a clamped one for coordinates that are
// values.
// RUN: zyx-opt %s --zyxk-expand-oob | FileCheck %s
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s --check-prefix=HOST

// HOST: func.func @values

// CHECK-LABEL: @axes
// CHECK: %[[A:.*]] = load %in0[r + 1] : f32
// CHECK: %[[W:.*]] = where %[[A]] if (r + 1 >= 0 and r <= 6) else %{{.*}} : f32
// CHECK: store %[[W]]
zyxk.kernel @axes ports(%x: in f32[8], %y: out f32[8]) axes(r < 8) {
  %c = arith.constant 2.0 : f32
  %a = load %x[r + 1] oob else(%c) : f32
  store %a, %y[r] : f32
}

// CHECK-LABEL: @values
// CHECK: %[[I:.*]] = arith.index_cast
// CHECK: %[[A:.*]] = load %in0[%[[I]] + 1, c] oob clamp : f32
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[P:.*]] = arith.addi %[[I]], %[[ONE]] : index
// CHECK: %[[C:.*]] = arith.cmpi ult, %[[P]], %c8
// CHECK: %[[S:.*]] = arith.select %[[C]], %[[A]], %{{.*}} : f32
// CHECK: %[[W:.*]] = where %[[S]] if (c >= 0 and c <= 3) else %{{.*}} : f32
// CHECK: store %[[W]]
zyxk.kernel @values ports(%x: in f32[8, 4], %p: in i64[8], %y: out f32[8, 4]) axes(r < 8, c < 4) {
  %z = arith.constant 0.0 : f32
  %k = load %p[r] : i64
  %i = arith.index_cast %k : i64 to index
  %a = load %x[%i + 1, c] oob else(%z) : f32
  store %a, %y[r, c] : f32
}
