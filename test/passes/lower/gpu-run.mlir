// Kernels of the GPU families against the interpreter, on sizes that leave rests everywhere. Without
// a device they are compiled only.
// RUN: zyxc kernel check %s --target vulkan --sizes 12 | FileCheck %s
// CHECK-NOT: differ

zyxk.kernel @chain dims(R, N) ports(%x: in f32[R, N], %z: in f32[N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %b = load %z[n] : f32
  %c = arith.mulf %a, %b : f32
  %t = math.tanh %c : f32
  store %t, %y[r, n] : f32
}
zyxk.kernel @colsum dims(R, N) ports(%x: in f32[R, N], %y: out f32[N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = reduce add %a over [r] : f32
  store %s, %y[n] : f32
}
zyxk.kernel @argcol dims(R, N) ports(%x: in f32[N, R], %y: out i64[R]) axes(r < R, n < N) {
  %a = load %x[n, r] : f32
  %p = reduce argmin %a over [n] : f32 -> i64
  store %p, %y[r] : i64
}
zyxk.kernel @pad dims(C, H, W) ports(%x: in f32[C, H, W], %y: out f32[C, H + 2, W + 2]) axes(c < C, h < H + 2, w < W + 2) {
  %a = load %x[c, h - 1, w - 1] : f32
  %zero = arith.constant 0.0 : f32
  %p = where %a if (h >= 1 and h <= H and w >= 1 and w <= W) else %zero : f32
  store %p, %y[c, h, w] : f32
}
zyxk.kernel @scatteradd dims(R, N) ports(%x: in f32[R, N], %i: in i64[R], %y: inout f32[7, N]) axes(r < R, n < N) {
  %k = load %i[r] : i64
  %at = arith.index_cast %k : i64 to index
  %a = load %x[r, n] : f32
  store %a, %y[%at, n] combine add : f32
}
zyxk.kernel @tadd dims(I, J) ports(%x: in f32[J, I], %b: in f32[I, J], %y: out f32[I, J]) axes(i < I, j < J) {
  %a = load %x[j, i] : f32
  %c = load %b[i, j] : f32
  %d = arith.addf %a, %c : f32
  store %d, %y[i, j] : f32
}
zyxk.kernel @colmean dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce add %a over [r] : f32
  %d = arith.subf %a, %m : f32
  store %d, %y[r, n] : f32
}
zyxk.kernel @pool dims(C, H, W) ports(%x: in f32[C, H * 2, W * 2], %y: out f32[C, H, W]) axes(c < C, h < H, w < W, r < 2, s < 2) {
  %a = load %x[c, h * 2 + r, w * 2 + s] : f32
  %m = reduce max %a over [r, s] : f32
  store %m, %y[c, h, w] : f32
}
zyxk.kernel @bnorm dims(N, C, H) ports(%x: in f32[N, C, H], %y: out f32[C]) axes(n < N, c < C, h < H) {
  %a = load %x[n, c, h] : f32
  %m = reduce add %a over [n, h] : f32
  store %m, %y[c] : f32
}
zyxk.kernel @mixed dims(R, N) ports(%x: in f64[R, N], %y: out f64[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f64
  %m = reduce add %a over [n] : f64
  %c = reduce max %a over [r, n] : f64
  %d = arith.mulf %a, %m : f64
  %e = arith.addf %d, %c : f64
  store %e, %y[r, n] : f64
}
zyxk.kernel @cumsum dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n : f32
  store %s, %y[r, n] : f32
}
zyxk.kernel @revex dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n exclusive reverse : f32
  %b = arith.addf %a, %s : f32
  store %b, %y[r, n] : f32
}
zyxk.kernel @log_sum_exp dims(R, N) ports(%x: in f32[R, N], %y: out f32[R]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m, %l = expsum %a over [n] weights(unit) : f32
  %g = math.log %l : f32
  %z = arith.addf %m, %g : f32
  store %z, %y[r] : f32
}
zyxk.kernel @twolevel dims(M, N) ports(%x: in f32[M, N], %y: out f32[M, N]) axes(i < M, j < N) {
  %a = load %x[i, j] : f32
  %r = reduce add %a over [j] : f32
  %b = arith.subf %a, %r : f32
  %c = reduce max %b over [i] : f32
  %d = arith.subf %b, %c : f32
  %e = reduce add %d over [j] : f32
  %f = arith.addf %d, %e : f32
  %g = reduce add %f over [i, j] : f32
  %h = arith.addf %f, %g : f32
  store %h, %y[i, j] : f32
} schedule #zyxk.block<threads = 256>
zyxk.kernel @triangle dims(N) ports(%x: in f32[N, N], %y: inout f32[N, N]) axes(r < N, n < N where n <= r) {
  %a = load %x[r, n] : f32
  %m, %l = expsum %a over [n] weights(unit) : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %q = arith.divf %e, %l : f32
  store %q, %y[r, n] : f32
}
