zyxk.kernel @pitch dims(P) ports(%x: in f32[P, 4], %y: out f32[P, 4] layout(i, j -> i * 3 + j))
    axes(i < P, j < 4) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
}
