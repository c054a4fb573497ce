// A layout may decrease along an axis: the port's memory reaches to its largest offset.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate | FileCheck %s
// CHECK: checked @reversed on
zyxk.kernel @reversed ports(%x: in f32[64, 8] layout(i, j -> 9 * 8 * 64 - i * 9 * 8 + j),
    %y: out f32[64, 8] layout(i, j -> 1000 - i * 8 - j)) axes(r < 64, n < 8) {
  %a = load %x[r, n] : f32
  store %a, %y[r, n] : f32
}
