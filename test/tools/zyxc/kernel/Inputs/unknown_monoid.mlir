zyxk.kernel @sum ports(%x: in f32[4], %y: out f32[]) axes(i < 4) {
  %a = load %x[i] : f32
  %s = reduce sum %a over [i] : f32
  store %s, %y[] : f32
}
