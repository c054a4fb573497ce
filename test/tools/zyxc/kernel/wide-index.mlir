// Index arithmetic of GPUs has 64 bits where 32 are not enough: constants of coordinates, indices
// that are moved inside or compared, and index values of the body.
// RUN: zyxc kernel check %s --sizes 6 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 6 --target sm_90a --simulate | FileCheck %s
// RUN: zyxc kernel check %s --sizes 6 --target sm_80 --simulate | FileCheck %s
// RUN: zyx-opt %s -zyxk-specialize=dims=N=64 -zyxk-expand-oob -zyxk-lower-gpu | FileCheck %s --check-prefix=WIDE
// RUN: not zyxc kernel check %S/Inputs/wide-product.mlir --target sm_90a --simulate 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: has coordinates that need 64 bits, which tiles of a product or of attention do not take; leave the schedule out

// CHECK: checked @constant on {{.*}}: all agree
// WIDE: gpu.module @constant attributes {{{.*}}zyxk.wide_index
zyxk.kernel @constant dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n + 4294967296] oob else(%zero) : f32
  store %a, %y[n] : f32
}

// CHECK: checked @factor on {{.*}}: all agree
// WIDE: gpu.module @factor attributes {{{.*}}zyxk.wide_index
zyxk.kernel @factor dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n * 4294967296] oob else(%zero) : f32
  store %a, %y[n] : f32
}

// CHECK: checked @clamped on {{.*}}: all agree
// WIDE: gpu.module @clamped attributes {{{.*}}zyxk.wide_index
zyxk.kernel @clamped dims(N) ports(%i: in i64[N], %x: in f32[N], %y: out f32[N]) axes(n < N) {
  %far = arith.constant 4294967296 : i64
  %a = load %i[n] : i64
  %b = arith.addi %a, %far : i64
  %j = arith.index_cast %b : i64 to index
  %v = load %x[%j] oob clamp : f32
  store %v, %y[n] : f32
}

// CHECK: checked @otherwise on {{.*}}: all agree
// WIDE: gpu.module @otherwise attributes {{{.*}}zyxk.wide_index
zyxk.kernel @otherwise dims(N) ports(%i: in i64[N], %x: in f32[N], %y: out f32[N]) axes(n < N) {
  %far = arith.constant 4294967296 : i64
  %nine = arith.constant 9.0 : f32
  %a = load %i[n] : i64
  %b = arith.addi %a, %far : i64
  %j = arith.index_cast %b : i64 to index
  %v = load %x[%j] oob else(%nine) : f32
  store %v, %y[n] : f32
}

// CHECK: checked @values on {{.*}}: all agree
// WIDE: gpu.module @values attributes {{{.*}}zyxk.wide_index
zyxk.kernel @values dims(N) ports(%x: in f32[N], %y: out i64[N]) axes(n < N) {
  %billion = arith.constant 1000000000 : index
  %i = index n
  %j = arith.muli %i, %billion : index
  %k = arith.index_cast %j : index to i64
  store %k, %y[n] : i64
}

// A plain gather needs 32.
// CHECK: checked @gather on {{.*}}: all agree
// WIDE: gpu.module @gather
// WIDE-NOT: zyxk.wide_index
zyxk.kernel @gather dims(N) ports(%i: in i64[N], %x: in f32[N], %y: out f32[N]) axes(n < N) {
  %a = load %i[n] : i64
  %j = arith.index_cast %a : i64 to index
  %v = load %x[%j] : f32
  store %v, %y[n] : f32
}

// So does arithmetic on indices that stays small.
// CHECK: checked @distance on {{.*}}: all agree
// WIDE: gpu.module @distance
// WIDE-NOT: zyxk.wide_index
zyxk.kernel @distance dims(N) ports(%y: out f32[N, 8]) axes(n < N, m < 8) {
  %i = index n
  %j = index m
  %three = arith.constant 3 : index
  %d = arith.subi %i, %j : index
  %e = arith.muli %d, %three : index
  %f = arith.addi %e, %i : index
  %k = arith.index_cast %f : index to i32
  %v = arith.sitofp %k : i32 to f32
  store %v, %y[n, m] : f32
}
