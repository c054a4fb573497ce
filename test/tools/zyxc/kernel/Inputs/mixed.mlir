zyxk.kernel @double dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
  %a = load %x[n] : f32
  %b = arith.addf %a, %a : f32
  store %b, %y[n] : f32
}
zyxk.kernel @square dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
  %a = load %x[n] : f32
  %b = arith.mulf %a, %a : f32
  store %b, %y[n] : f32
}
zyxk.program @fourfold dims(N) ports(%x: in f32[N], %y: out f32[N], %w: scratch f32[N]) {
  launch @double(%x, %w) dims(N = N)
  launch @double(%w, %y) dims(N = N)
}
