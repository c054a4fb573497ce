// Folds and routines, there and back.
// RUN: zyx-opt %s | FileCheck %s
// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s --mlir-print-op-generic | zyx-opt | FileCheck %s

// CHECK-LABEL: zyxk.kernel @serial
// CHECK: %[[H:.*]] = fold %{{.*}}, %{{.*}} over [n] init(%{{.*}}) step(%[[S:.*]]: f32, %[[X:.*]]: f32, %[[Z:.*]]: i32) {
// CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[Z]] : i32 to f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[S]], %[[X]] : f32
// CHECK-NEXT: %[[Q:.*]] = arith.addf %[[P]], %[[F]] : f32
// CHECK-NEXT: yield %[[Q]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: store %[[H]]
zyxk.kernel @serial dims(N) ports(%a: in f32[N], %b: in i32[N], %y: out f32[1]) axes(n < N) {
  %zero = arith.constant 0.0 : f32
  %x = load %a[n] : f32
  %z = load %b[n] : i32
  %h = fold %x, %z over [n] order serial init(%zero) step(%s: f32, %v: f32, %w: i32) {
    %f = arith.sitofp %w : i32 to f32
    %p = arith.mulf %s, %v : f32
    %q = arith.addf %p, %f : f32
    yield %q : f32
  }
  store %h, %y[0] : f32
}

// CHECK-LABEL: zyxk.kernel @free
// CHECK: %[[R:.*]]:2 = fold %{{.*}} over [r, n] order free init(%{{.*}}, %{{.*}}) step(%{{.*}}: i64, %{{.*}}: f64, %{{.*}}: f64) {
// CHECK: yield %{{.*}}, %{{.*}} : i64, f64
// CHECK-NEXT: } merge(%{{.*}}: i64, %{{.*}}: f64, %{{.*}}: i64, %{{.*}}: f64) {
// CHECK: yield
// CHECK: store %[[R]]#0
// CHECK: store %[[R]]#1
zyxk.kernel @free dims(R, N) ports(%x: in f64[R, N], %c: out i64[1], %y: out f64[1])
    axes(r < R, n < N) {
  %none = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f64
  %a = load %x[r, n] : f64
  %k, %s = fold %a over [n, r] order free init(%none, %zero) step(%k: i64, %s: f64, %v: f64) {
    %one = arith.constant 1 : i64
    %next = arith.addi %k, %one : i64
    %sum = arith.addf %s, %v : f64
    yield %next, %sum : i64, f64
  } merge(%k: i64, %s: f64, %l: i64, %t: f64) {
    %next = arith.addi %k, %l : i64
    %sum = arith.addf %s, %t : f64
    yield %next, %sum : i64, f64
  }
  store %k, %c[0] : i64
  store %s, %y[0] : f64
}

// CHECK-LABEL: zyxk.kernel @sorted
// CHECK: opaque @sort(%in0, %out1, %out2) params(1) cost((R * N) * 20)
zyxk.kernel @sorted dims(R, N) ports(%x: in f32[R, N], %v: out f32[R, N], %i: out i64[R, N]) axes() {
  opaque @sort(%x, %v, %i) params(1) cost(R * N * 20)
}

// CHECK-LABEL: zyxk.kernel @plain
// CHECK: opaque @library(%in0)
// CHECK-NEXT: }
zyxk.kernel @plain ports(%x: in f32[8]) axes() {
  opaque @library(%x)
}
