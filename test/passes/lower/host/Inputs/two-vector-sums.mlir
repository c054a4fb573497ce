// What @two of vector-products-functions.mlir stands for.
zyxk.kernel @two dims(M, K) ports(%x: in f32[M, K], %v: in f32[K], %z: in f32[M, K], %y: out f32[M]) axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %v[k] : f32
  %c = load %z[i, k] : f32
  %ms = arith.mulf %a, %b : f32
  %s = reduce add %ms over [k] : f32
  %mt = arith.mulf %c, %b : f32
  %t = reduce add %mt over [k] : f32
  %r = arith.addf %s, %t : f32
  store %r, %y[i] : f32
}
