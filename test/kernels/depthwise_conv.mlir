// Depthwise 3x3 convolution with padding 1: a product with rows but no columns, a filter per channel.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @depthwise_conv on host: {{.*}} all agree
zyxk.kernel @depthwise_conv dims(N, C, H, W)
    ports(%x: in f32[N, C, H, W], %f: in f32[C, 3, 3], %bias: in f32[C], %y: out f32[N, C, H, W])
    axes(n < N, c < C, h < H, w < W, i < 3, j < 3) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, h + i - 1, w + j - 1] : f32
  %v = where %a if (h + i >= 1 and h + i <= H and w + j >= 1 and w + j <= W) else %zero : f32
  %k = load %f[c, i, j] : f32
  %s = contract %v, %k over [i, j] : f32, f32 -> f32
  %b = load %bias[c] : f32
  %r = arith.addf %s, %b : f32
  store %r, %y[n, c, h, w] : f32
}
