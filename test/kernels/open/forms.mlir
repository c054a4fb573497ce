// Forms of expressions over dims that are known at run time only: compiled once, run at all sizes.
// RUN: zyxc kernel check %s --open --sizes 30 --work 2e7 | FileCheck %s
// RUN: zyxc kernel check %s --open --sizes 12 --work 4e6 --target host-avx2 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --work 4e6

// CHECK: checked @reshape on {{.*}} all agree
zyxk.kernel @reshape dims(N, K) ports(%x: in f32[N, K], %y: out f32[N * K]) axes(n < N * K) assume(K >= 1) {
  %a = load %x[n floordiv K, n mod K] : f32
  store %a, %y[n] : f32
}

// CHECK: checked @sizes on {{.*}} all agree
zyxk.kernel @sizes dims(N, K) ports(%x: in i64[N], %y: out i64[N]) axes(n < N) {
  %k = dim K
  %i = index n
  %s = arith.addi %k, %i : index
  %t = arith.index_cast %s : index to i64
  %a = load %x[n] : i64
  %b = arith.addi %a, %t : i64
  store %b, %y[n] : i64
}

// CHECK: checked @rows_or_zero on {{.*}} all agree
zyxk.kernel @rows_or_zero dims(V, T, D) ports(%table: in f32[V, D], %rows: in i64[T], %y: out f32[T, D])
    axes(t < T, d < D) {
  %zero = arith.constant 0.0 : f32
  %k = load %rows[t] : i64
  %row = arith.index_cast %k : i64 to index
  %v = load %table[%row, d] oob else(%zero) : f32
  store %v, %y[t, d] : f32
}

// CHECK: checked @pitch on {{.*}} all agree
zyxk.kernel @pitch dims(R, N) ports(%x: in f32[R, N] layout(i, j -> i * (N + 3) + j), %y: out f32[R, N])
    axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  store %a, %y[r, n] : f32
}

// CHECK: checked @turned on {{.*}} all agree
zyxk.kernel @turned dims(R, N) ports(%x: in i8[R, N], %z: in f64[N, R], %y: out f64[R, N]) axes(r < R, n < N) {
  %a = load %x[R - 1 - r, N - 1 - n] : i8
  %b = arith.sitofp %a : i8 to f64
  %c = load %z[n, r] : f64
  %d = arith.addf %b, %c : f64
  store %d, %y[r, n] : f64
}

// CHECK: checked @every_second on {{.*}} all agree
zyxk.kernel @every_second dims(N) ports(%x: in f32[2 * N + 1], %y: out f32[N]) axes(n < N) {
  %a = load %x[2 * n] : f32
  %b = load %x[2 * n + 1] : f32
  %s = arith.addf %a, %b : f32
  store %s, %y[n] : f32
}

// CHECK: checked @in_place on {{.*}} all agree
zyxk.kernel @in_place dims(R, N) ports(%x: inout f32[R, N], %b: in f32[N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %c = load %b[n] : f32
  %s = arith.addf %a, %c : f32
  store %s, %x[r, n] : f32
}

// CHECK: checked @last_sums on {{.*}} all agree
zyxk.kernel @last_sums dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n exclusive reverse : f32
  %m = scan max %s along n reverse : f32
  %d = arith.subf %m, %a : f32
  store %d, %y[r, n] : f32
}

// CHECK: checked @padded on {{.*}} all agree
zyxk.kernel @padded dims(N, P) ports(%x: in f32[N], %y: out f32[N + 2 * P]) axes(n < N + 2 * P) {
  %one = arith.constant 1.0 : f32
  %a = load %x[n - P] : f32
  %w = where %a if (n >= P and n < N + P) else %one : f32
  store %w, %y[n] : f32
}

// CHECK: checked @lower on {{.*}} all agree
zyxk.kernel @lower dims(N) ports(%x: in f32[N, N], %y: out f32[N]) axes(i < N, j < i + 1) {
  %a = load %x[i, j] : f32
  %s = reduce add %a over [j] : f32
  store %s, %y[i] : f32
}

// CHECK: checked @turned_product on {{.*}} all agree
zyxk.kernel @turned_product dims(B, M, N, K)
    ports(%A: in f16[B, M, K], %C: in f16[B, N, K], %y: out f32[B, M, N]) axes(b < B, i < M, j < N, k < K) {
  %x = load %A[b, i, k] : f16
  %w = load %C[b, j, k] : f16
  %c = contract %x, %w over [k] : f16, f16 -> f32
  store %c, %y[b, i, j] : f32
}

// CHECK: checked @vector_product on {{.*}} all agree
zyxk.kernel @vector_product dims(N, K) ports(%a: in f32[K], %w: in f32[K, N], %y: out f32[N]) axes(j < N, k < K) {
  %x = load %a[k] : f32
  %v = load %w[k, j] : f32
  %c = contract %x, %v over [k] : f32, f32 -> f32
  store %c, %y[j] : f32
}
