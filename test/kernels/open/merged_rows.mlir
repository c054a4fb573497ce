// The elements of N rows as one, divided by N: a coordinate with a dim as divisor, and a dim as value.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --open --sizes 24 | FileCheck %s
// CHECK: checked @merged_rows on host{{.*}} all agree
zyxk.kernel @merged_rows dims(N, M) ports(%x: in f32[N, M], %y: out f32[N * M]) axes(i < N * M) {
  %a = load %x[i floordiv M, i mod M] : f32
  %n = dim N
  %rows = arith.index_cast %n : index to i64
  %f = arith.sitofp %rows : i64 to f32
  %q = arith.divf %a, %f : f32
  store %q, %y[i] : f32
}
