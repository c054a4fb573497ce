// RUN: zyx-opt %s --zyxk-lower-host=vector-bits=256 | FileCheck %s
// RUN: zyxc kernel emit %s --kernel softmax --target host-avx2 --emit=mlir | FileCheck %s --check-prefix=QUOTIENT

// Per reduction: a loop with four accumulators (two around a function), the masked rest, halves across lanes.
// Then the store. Unless each op must round as it stands, it multiplies by the reciprocal of the sum.
// CHECK-LABEL: func.func @softmax(
// CHECK: scf.for
// CHECK: %{{.*}}:4 = scf.for %{{.*}} iter_args
// CHECK: vector.maskedload
// CHECK: vector.shuffle %{{.*}} [0, 1, 2, 3]
// CHECK: vector.extract %{{.*}} : f32 from vector<1xf32>
// CHECK: %{{.*}}:2 = scf.for %{{.*}} iter_args
// CHECK-COUNT-2: math.exp %{{.*}} : vector<8xf32>
// CHECK: vector.extract
// CHECK: scf.for
// CHECK: arith.divf %{{.*}} : vector<8xf32>
// QUOTIENT: arith.divf %{{.*}} : f32
// QUOTIENT: arith.mulf %{{.*}} : vector<8xf32>
// QUOTIENT-NOT: arith.divf
// CHECK: vector.store
zyxk.kernel @softmax ports(%x: in f32[32, 100], %y: out f32[32, 100]) axes(r < 32, n < 100) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}

// Positions travel with the values.
// CHECK-LABEL: func.func @arg(
// CHECK: scf.for %{{.*}} -> (vector<8xf32>, vector<8xi32>)
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: memref.store
zyxk.kernel @arg ports(%x: in f32[4, 16], %y: out i64[4]) axes(r < 4, n < 16) {
  %a = load %x[r, n] : f32
  %p = reduce argmax %a over [n] : f32 -> i64
  store %p, %y[r] : i64
} schedule #zyxk.row<inflight = 1>

// A serial reduction keeps the order of the elements: no lanes, one accumulator.
// CHECK-LABEL: func.func @serial(
// CHECK: scf.for %{{.*}} -> (f32)
// CHECK-NOT: vector<
// CHECK: return
zyxk.kernel @serial ports(%x: in f32[4, 64], %y: out f32[4]) axes(r < 4, n < 64) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [n] order serial : f32
  store %s, %y[r] : f32
} schedule #zyxk.row<rows = 2>

// Without a schedule, the lanes go where the accesses are contiguous: along n here.
// CHECK-LABEL: func.func @columns(
// CHECK: scf.for %{{.*}} -> (vector<8xf32>
// CHECK: vector.load
// CHECK: vector.store
zyxk.kernel @columns ports(%x: in f32[12, 16], %y: out f32[16]) axes(r < 12, n < 16) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
}

// Around a function a vector fills two registers, where rows are whole vectors. A divisor that is no sum of a
// softmax divides.
// CHECK-LABEL: func.func @two_registers(
// CHECK: scf.for %{{.*}} iter_args(%{{[^,]*}}) -> (vector<16xf32>)
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: arith.divf %{{.*}} : vector<16xf32>
zyxk.kernel @two_registers ports(%x: in f32[32, 128], %y: out f32[32, 128]) axes(r < 32, n < 128) {
  %a = load %x[r, n] : f32
  %e = math.exp %a : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}
