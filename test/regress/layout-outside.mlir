// A layout with offsets before its port, or beyond what can be addressed, is refused.
// RUN: not zyx-opt %s -split-input-file 2>&1 | FileCheck %s
// CHECK: the layout of port 0 leaves its memory: its offsets run from -63 to 7
zyxk.kernel @before ports(%x: in f32[8, 64] layout(i, j -> i - j), %y: out f32[8, 64])
    axes(r < 8, n < 64) {
  %a = load %x[r, n] : f32
  store %a, %y[r, n] : f32
}

// -----

// CHECK: the layout of port 0 leaves its memory: its offsets are not known or too large
zyxk.kernel @beyond ports(%x: in f32[8, 64] layout(i, j -> i * 2305843009213693951 + j),
    %y: out f32[8, 64]) axes(r < 8, n < 64) {
  %a = load %x[r, n] : f32
  store %a, %y[r, n] : f32
}
