// Binding dims: all, some of them, those of programs.
// RUN: zyx-opt %s --split-input-file --verify-diagnostics --zyxk-specialize=dims=R=4,N=128 | FileCheck %s

// CHECK-LABEL: zyxk.kernel @all ports(%in0: in f32[4, 128], %out1: out f32[4, 64]) axes(r < 4, n < 64) {
// CHECK: %[[A:.*]] = load %in0[r, n + 64] : f32
// CHECK-NEXT: store %[[A]], %out1[r, n] : f32
zyxk.kernel @all dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N floordiv 2])
    axes(r < R, n < N floordiv 2) assume(N mod 8 == 0) {
  %z = arith.constant 0.0 : f32
  %a = load %x[r, n + N floordiv 2] : f32
  %w = where %a if (N >= 2) else %z : f32
  store %w, %y[r, n] : f32
}

// CHECK-LABEL: zyxk.kernel @some dims(M) ports(%in0: in f32[M, 128] layout(_0, _1 -> _0 * 129 + _1), %out1: out f32[M, 128]) axes(m < M, n < 128 where m + n <= 127) assume(M >= 129) {
zyxk.kernel @some dims(N, M) ports(%x: in f32[M, N] layout(a, b -> a * (N + 1) + b), %y: out f32[M, N])
    axes(m < M, n < N where m + n < N) assume(M > N and N mod 8 == 0) {
  %a = load %x[m, n] : f32
  store %a, %y[m, n] : f32
}

// -----

// CHECK-LABEL: zyxk.kernel @double_128
// CHECK-NOT: zyxk.kernel @double dims
// CHECK-LABEL: zyxk.kernel @double_256
// CHECK-LABEL: zyxk.program @twice ports(%in0: in f32[128], %out1: out f32[512], %scratch2: scratch f32[256]) {
// CHECK-NEXT: launch @double_128(%in0, %scratch2)
// CHECK-NEXT: launch @double_256(%scratch2, %out1)
zyxk.kernel @double dims(P) ports(%x: in f32[P], %y: out f32[P * 2]) axes(p < P * 2) {
  %a = load %x[p floordiv 2] : f32
  store %a, %y[p] : f32
}
zyxk.program @twice dims(N) ports(%x: in f32[N], %y: out f32[N * 4], %w: scratch f32[N * 2]) assume(N >= 2) {
  launch @double(%x, %w) dims(P = N)
  launch @double(%w, %y) dims(P = N * 2)
}

// -----

// expected-error @below {{the sizes violate an assumption: N = 128}}
zyxk.kernel @assume dims(N) ports(%x: in f32[N]) axes(n < N) assume(N mod 3 == 0) {
}

// -----

// expected-error @below {{port 1 at these dims: a port of this shape is too large or has a negative size}}
zyxk.kernel @negative dims(N) ports(%x: in f32[4], %y: out f32[N - 200]) axes(n < 4) {
}

// -----

// expected-error @below {{port 0 at these dims: a port of this shape is too large or has a negative size}}
zyxk.kernel @large dims(N) ports(%x: in f32[N * 36028797018963968], %y: out f32[4]) axes(n < 4) {
}

// -----

// expected-error @below {{port 0 at these dims: its size leaves 64 bits}}
zyxk.kernel @wide dims(N) ports(%x: in f32[N * 144115188075855872], %y: out f32[4]) axes(n < 4) {
}
