// What the contractions of vector-products.mlir stand for.
zyxk.kernel @matrix_times_vector dims(M, K) ports(%x: in f32[M, K], %v: in f32[K], %y: out f32[M])
    axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %v[k] : f32
  %ms = arith.mulf %a, %b : f32
  %s = reduce add %ms over [k] : f32
  store %s, %y[i] : f32
}
zyxk.kernel @vector_times_matrix dims(M, K) ports(%v: in bf16[K], %x: in bf16[K, M], %y: out bf16[M])
    axes(i < M, k < K) {
  %a = load %v[k] : bf16
  %b = load %x[k, i] : bf16
  %as = arith.extf %a : bf16 to f32
  %bs = arith.extf %b : bf16 to f32
  %ms = arith.mulf %as, %bs : f32
  %sw = reduce add %ms over [k] : f32
  %s = arith.truncf %sw : f32 to bf16
  store %s, %y[i] : bf16
}
zyxk.kernel @rows dims(M, K) ports(%x: in f32[M, K], %z: in f32[M, K], %y: out f32[M])
    axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %z[i, k] : f32
  %ms = arith.mulf %a, %b : f32
  %s = reduce add %ms over [k] : f32
  store %s, %y[i] : f32
}
zyxk.kernel @bytes dims(M, K) ports(%x: in i8[M, K], %z: in i8[M, K], %bias: in i32[M], %y: out i32[M])
    axes(i < M, k < K) {
  %a = load %x[i, k] : i8
  %b = load %z[i, k] : i8
  %as = arith.extsi %a : i8 to i32
  %bs = arith.extsi %b : i8 to i32
  %ms = arith.muli %as, %bs : i32
  %s = reduce add %ms over [k] : i32
  %c = load %bias[i] : i32
  %r = arith.addi %s, %c : i32
  store %r, %y[i] : i32
}
zyxk.kernel @depthwise dims(M, K) ports(%x: in f16[M, M, K], %f: in f16[3, 3, K], %y: out f16[(M + 1) floordiv 2, (M + 1) floordiv 2, K])
    axes(h < (M + 1) floordiv 2, w < (M + 1) floordiv 2, c < K, i < 3, j < 3) {
  %zero = arith.constant 0.0 : f16
  %a = load %x[2 * h + i - 1, 2 * w + j - 1, c] oob else(%zero) : f16
  %b = load %f[i, j, c] : f16
  %as = arith.extf %a : f16 to f32
  %bs = arith.extf %b : f16 to f32
  %ms = arith.mulf %as, %bs : f32
  %s = reduce add %ms over [i, j] : f32
  %r = arith.truncf %s : f32 to f16
  store %r, %y[h, w, c] : f16
}
zyxk.kernel @one_filter dims(M, K) ports(%x: in f32[K, M, 8], %f: in f32[K, 3], %y: out f32[M, 6])
    axes(h < M, w < 6, c < K, j < 3) {
  %a = load %x[c, h, w + j] : f32
  %b = load %f[c, j] : f32
  %ms = arith.mulf %a, %b : f32
  %s = reduce add %ms over [c, j] : f32
  store %s, %y[h, w] : f32
}
