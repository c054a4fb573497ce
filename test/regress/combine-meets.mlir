// Stores that combine at one element from several points: no update is lost to lanes or tasks.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @blocks on host
// CHECK: checked @pairs on host
// CHECK: checked @window on host
zyxk.kernel @blocks dims(R) ports(%x: in i32[R], %w: inout i32[R]) axes(r < R) {
  %a = load %x[r] : i32
  store %a, %w[r floordiv 1000] combine add : i32
}

zyxk.kernel @pairs dims(R) ports(%x: in f32[R], %w: inout f32[R]) axes(r < R) {
  %a = load %x[r] : f32
  store %a, %w[r floordiv 2] combine max : f32
}

zyxk.kernel @window dims(R) ports(%x: in i32[R, 3], %w: inout i32[R + 2]) axes(r < R, s < 3) {
  %a = load %x[r, s] : i32
  store %a, %w[r + s] combine add : i32
}
