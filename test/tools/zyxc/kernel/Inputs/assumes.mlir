// Kernels that assume something of their dims.
zyxk.kernel @odd dims(M, K) ports(%x: in f32[M, K], %y: out f32[M, K]) axes(i < M, j < K) assume(K mod 2 == 1) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}
zyxk.kernel @fixed dims(M, K) ports(%x: in f32[M, K], %y: out f32[M, K]) axes(i < M, j < K) assume(K == 96) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}
zyxk.kernel @both dims(M, K) ports(%x: in f32[M, K], %y: out f32[M, K]) axes(i < M, j < K) assume(M == 96 and K == 40) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}
zyxk.kernel @never dims(M, K) ports(%x: in f32[M, K], %y: out f32[M, K]) axes(i < M, j < K) assume(K < M and M < K) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}
