// A 3x3 max pool with stride 2 and padding 1: the padding is a where around the load.
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// CHECK: func.func @max_pool
zyxk.kernel @max_pool ports(%x: in f32[1, 64, 112, 112], %y: out f32[1, 64, 56, 56])
    axes(n < 1, c < 64, h < 56, w < 56, r < 3, s < 3) {
  %low = arith.constant 0xFF800000 : f32
  %v = load %x[n, c, h * 2 + r - 1, w * 2 + s - 1] : f32
  %u = where %v if (h * 2 + r >= 1 and h * 2 + r <= 112 and w * 2 + s >= 1 and w * 2 + s <= 112) else %low : f32
  %m = reduce max %u over [r, s] : f32
  store %m, %y[n, c, h, w] : f32
}
