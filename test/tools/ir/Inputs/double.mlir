zyxk.kernel @double ports(%x: in f32[64], %y: out f32[64]) axes(i < 64) {
  %a = load %x[i] : f32
  %s = arith.addf %a, %a : f32
  store %s, %y[i] : f32
}
