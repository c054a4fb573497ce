// Rows of a table picked by an index tensor: a coordinate is a value.
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// CHECK: func.func @gather
zyxk.kernel @gather ports(%table: in f32[1000, 64], %rows: in i64[32], %y: out f32[32, 64])
    axes(i < 32, c < 64) {
  %k = load %rows[i] : i64
  %row = arith.index_cast %k : i64 to index
  %v = load %table[%row, c] oob clamp : f32
  store %v, %y[i, c] : f32
}
