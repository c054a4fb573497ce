// Rows of a table picked by an index tensor: a coordinate is a value. Indices outside are clamped.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @gather on host: {{.*}} all agree
zyxk.kernel @gather dims(V, T, D) ports(%table: in f32[V, D], %rows: in i64[T], %y: out f32[T, D])
    axes(t < T, d < D) assume(V >= 1) {
  %k = load %rows[t] : i64
  %row = arith.index_cast %k : i64 to index
  %v = load %table[%row, d] oob clamp : f32
  store %v, %y[t, d] : f32
}
