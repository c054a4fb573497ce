// Medians of rows and the largest four elements less them: a routine sorts, kernels do the rest.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @median on host: {{.*}} all agree
// A GPU has no top-k: what it cannot lower is an error of the input's, not of zyxc's.
// RUN: sh -c 'zyxc kernel check %s --target sm_80 --compile-only; echo exit $?' 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: sh -c 'zyxc kernel check %s --target vulkan --compile-only; echo exit $?' 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: routine 'topk' runs on the host only
// GPU: exit 4
zyxk.kernel @sort_rows dims(R, N)
    ports(%x: in f32[R, N], %v: out f32[R, N], %i: out i64[R, N]) axes() {
  opaque @sort(%x, %v, %i) params(0) cost(R * N * 20)
}
zyxk.kernel @largest dims(R, N) ports(%x: in f32[R, N], %v: out f32[R, 4], %i: out i64[R, 4]) axes()
    assume(N >= 4) {
  opaque @topk(%x, %v, %i) cost(R * N * 4)
}
zyxk.kernel @less_middle dims(R, N)
    ports(%s: in f32[R, N], %t: in f32[R, 4], %m: out f32[R], %y: out f32[R, 4])
    axes(r < R, k < 4) assume(N >= 4) {
  %a = load %s[r, (N - 1) floordiv 2] : f32
  %b = load %t[r, k] : f32
  %d = arith.subf %b, %a : f32
  store %a, %m[r] : f32
  store %d, %y[r, k] : f32
}
zyxk.program @median dims(R, N)
    ports(%x: in f32[R, N], %m: out f32[R], %y: out f32[R, 4], %at: out i64[R, 4],
          %s: scratch f32[R, N], %p: scratch i64[R, N], %t: scratch f32[R, 4]) assume(N >= 4) {
  launch @sort_rows(%x, %s, %p) dims(R = R, N = N)
  launch @largest(%x, %t, %at) dims(R = R, N = N)
  launch @less_middle(%s, %t, %m, %y) dims(R = R, N = N)
}
