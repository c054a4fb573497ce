// Contractions without rows or without columns to tile become the code of the sum of products that they
// stand for (Inputs/vector-sums.mlir), on the host and on GPUs.
// RUN: zyxc kernel check %s --sizes 20 | FileCheck %s --check-prefix=RIGHT
// RUN: zyxc kernel check %s --target host-avx2 --sizes 12 | FileCheck %s --check-prefix=RIGHT
// RUN: zyxc kernel check %s --target sm_90a --simulate --sizes 6 --work 1e6 | FileCheck %s --check-prefix=RIGHT
// RIGHT-COUNT-6: all agree with the interpreter

// RUN: zyxc kernel emit %s --emit mlir --dim M=100,K=70 > %t.contract
// RUN: zyxc kernel emit %S/Inputs/vector-sums.mlir --emit mlir --dim M=100,K=70 > %t.sum
// RUN: diff %t.contract %t.sum
// RUN: zyxc kernel emit %s --emit mlir --target sm_80 --dim M=100,K=70 > %t.contract
// RUN: zyxc kernel emit %S/Inputs/vector-sums.mlir --emit mlir --target sm_80 --dim M=100,K=70 > %t.sum
// RUN: diff %t.contract %t.sum

// A schedule is kept: tiles, points or rows.
// RUN: zyxc kernel emit %s --emit mlir --schedule '#zyxk.contract<mr = 4>' --dim M=100,K=70 | FileCheck %s --check-prefix=TILES
// TILES-COUNT-6: memref.view
// RUN: zyxc kernel check %s --schedule '#zyxk.contract<mr = 4>' --sizes 12 | FileCheck %s --check-prefix=RIGHT
// RUN: zyxc kernel check %s --schedule '#zyxk.map<>' --sizes 12 | FileCheck %s --check-prefix=RIGHT
// RUN: zyxc kernel check %s --schedule '#zyxk.row<>' --sizes 12 | FileCheck %s --check-prefix=RIGHT
// RUN: zyxc kernel schedules %s --kernel rows --dim M=100,K=70 | FileCheck %s --check-prefix=FAMILIES
// FAMILIES: @rows M=100 K=70 on host: family row
// FAMILIES: #zyxk.row<
// FAMILIES: family map
// FAMILIES: #zyxk.map<
// FAMILIES: family contract
// FAMILIES: #zyxk.contract<

zyxk.kernel @matrix_times_vector dims(M, K) ports(%x: in f32[M, K], %v: in f32[K], %y: out f32[M])
    axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %v[k] : f32
  %s = contract %a, %b over [k] : f32, f32 -> f32
  store %s, %y[i] : f32
}
zyxk.kernel @vector_times_matrix dims(M, K) ports(%v: in bf16[K], %x: in bf16[K, M], %y: out bf16[M])
    axes(i < M, k < K) {
  %a = load %v[k] : bf16
  %b = load %x[k, i] : bf16
  %s = contract %a, %b over [k] : bf16, bf16 -> bf16
  store %s, %y[i] : bf16
}
zyxk.kernel @rows dims(M, K) ports(%x: in f32[M, K], %z: in f32[M, K], %y: out f32[M])
    axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %z[i, k] : f32
  %s = contract %a, %b over [k] : f32, f32 -> f32
  store %s, %y[i] : f32
}
zyxk.kernel @bytes dims(M, K) ports(%x: in i8[M, K], %z: in i8[M, K], %bias: in i32[M], %y: out i32[M])
    axes(i < M, k < K) {
  %a = load %x[i, k] : i8
  %b = load %z[i, k] : i8
  %s = contract %a, %b over [k] : i8, i8 -> i32
  %c = load %bias[i] : i32
  %r = arith.addi %s, %c : i32
  store %r, %y[i] : i32
}
zyxk.kernel @depthwise dims(M, K) ports(%x: in f16[M, M, K], %f: in f16[3, 3, K], %y: out f16[(M + 1) floordiv 2, (M + 1) floordiv 2, K])
    axes(h < (M + 1) floordiv 2, w < (M + 1) floordiv 2, c < K, i < 3, j < 3) {
  %zero = arith.constant 0.0 : f16
  %a = load %x[2 * h + i - 1, 2 * w + j - 1, c] oob else(%zero) : f16
  %b = load %f[i, j, c] : f16
  %s = contract %a, %b over [i, j] : f16, f16 -> f32
  %r = arith.truncf %s : f32 to f16
  store %r, %y[h, w, c] : f16
}
zyxk.kernel @one_filter dims(M, K) ports(%x: in f32[K, M, 8], %f: in f32[K, 3], %y: out f32[M, 6])
    axes(h < M, w < 6, c < K, j < 3) {
  %a = load %x[c, h, w + j] : f32
  %b = load %f[c, j] : f32
  %s = contract %a, %b over [c, j] : f32, f32 -> f32
  store %s, %y[h, w] : f32
}
