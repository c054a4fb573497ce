// RUN: zyx-opt %s | FileCheck %s
// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -zyxk-specialize=dims=N=5 | FileCheck %s --check-prefix=BOUND

// A dim as a value of the body; a constant once it is bound.

// CHECK-LABEL: zyxk.kernel @from_end dims(N, M)
// CHECK: %[[I:.*]] = index i
// CHECK: %[[N:.*]] = dim N
// CHECK: arith.subi %[[N]], %[[I]] : index
// BOUND-LABEL: zyxk.kernel @from_end dims(M)
// BOUND-NOT: dim N
// BOUND: arith.constant 5 : index
// BOUND: dim M
zyxk.kernel @from_end dims(N, M) ports(%y: out i64[N * M]) axes(i < N, j < M) {
  %i = index i
  %n = dim N
  %left = arith.subi %n, %i : index
  %m = dim M
  %sum = arith.addi %left, %m : index
  %v = arith.index_cast %sum : index to i64
  store %v, %y[i * M + j] : i64
}

// Divisors may be dims.

// CHECK-LABEL: zyxk.kernel @split dims(N, M)
// CHECK: load %in0[i floordiv (M + 1), i mod (M + 1)] : f32
// BOUND-LABEL: zyxk.kernel @split dims(M)
// BOUND-SAME: axes(i < M * 5 + 5)
// BOUND: load %in0[i floordiv (M + 1), i mod (M + 1)] : f32
zyxk.kernel @split dims(N, M) ports(%x: in f32[N, M + 1], %y: out f32[N * (M + 1)]) axes(i < N * (M + 1)) {
  %a = load %x[i floordiv (M + 1), i mod (M + 1)] : f32
  store %a, %y[i] : f32
}
