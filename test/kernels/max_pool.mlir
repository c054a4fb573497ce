// A 3x3 max pool with stride 2 and padding 1: the padding is a where around the load.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @max_pool on host: {{.*}} all agree
zyxk.kernel @max_pool dims(B, C, H, W)
    ports(%x: in f32[B, C, H, W], %y: out f32[B, C, (H - 1) floordiv 2 + 1, (W - 1) floordiv 2 + 1])
    axes(n < B, c < C, h < (H - 1) floordiv 2 + 1, w < (W - 1) floordiv 2 + 1, r < 3, s < 3)
    assume(H >= 1 and W >= 1) {
  %low = arith.constant 0xFF800000 : f32
  %v = load %x[n, c, h * 2 + r - 1, w * 2 + s - 1] : f32
  %u = where %v if (h * 2 + r >= 1 and h * 2 + r <= H and w * 2 + s >= 1 and w * 2 + s <= W) else %low : f32
  %m = reduce max %u over [r, s] : f32
  store %m, %y[n, c, h, w] : f32
}
