// A 3x3 convolution with padding 1: the padding is a where around the load.
// RUN: zyxc kernel check %s --sizes 24 | FileCheck %s
// CHECK: checked @conv3x3 on host: {{.*}} all agree
zyxk.kernel @conv3x3 dims(B, C, K, H, W)
    ports(%x: in f32[B, C, H, W], %w: in f32[K, C, 3, 3],
          %y: out f32[B, K, H, W])
    axes(n < B, k < K, p < H, q < W, c < C, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, p + r - 1, q + s - 1] : f32
  %u = where %a if (p + r >= 1 and p + r <= H and q + s >= 1 and q + s <= W) else %zero : f32
  %f = load %w[k, c, r, s] : f32
  %o = contract %u, %f over [c, r, s] : f32, f32 -> f32
  store %o, %y[n, k, p, q] : f32
}

// A 3x3 convolution with stride 2 and padding 1, a bias and a ReLU.
// CHECK: checked @conv3x3_stride2 on host: {{.*}} all agree
zyxk.kernel @conv3x3_stride2 dims(B, C, K, H, W)
    ports(%x: in f32[B, C, H, W], %w: in f32[K, C, 3, 3], %b: in f32[K],
          %y: out f32[B, K, (H - 1) floordiv 2 + 1, (W - 1) floordiv 2 + 1])
    axes(n < B, k < K, p < (H - 1) floordiv 2 + 1, q < (W - 1) floordiv 2 + 1, c < C, r < 3, s < 3) assume(H >= 1 and W >= 1) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, p * 2 + r - 1, q * 2 + s - 1] : f32
  %u = where %a if (p * 2 + r >= 1 and p * 2 + r <= H and q * 2 + s >= 1 and q * 2 + s <= W) else %zero : f32
  %f = load %w[k, c, r, s] : f32
  %o = contract %u, %f over [c, r, s] : f32, f32 -> f32
  %d = load %b[k] : f32
  %e = arith.addf %o, %d : f32
  %m = arith.maximumf %e, %zero : f32
  store %m, %y[n, k, p, q] : f32
}
