// Layouts in which elements share a place: they are equal there, in the check's inputs, too.
// RUN: zyxc kernel check %s --sizes 10 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 10 --work 1e7 --target sm_90a --simulate | FileCheck %s
// CHECK-COUNT-2: all agree
zyxk.kernel @bcast dims(N, M) ports(%x: in f32[N, M] layout(i, j -> j), %y: out f32[N, M]) axes(i < N, j < M) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}
zyxk.kernel @rowbcast dims(N, M) ports(%x: in f32[N, M] layout(i, j -> i floordiv 4), %y: out f32[N]) axes(i < N, j < M) {
  %a = load %x[i, j] : f32
  %s = reduce add %a over [j] : f32
  store %s, %y[i] : f32
}
