// Causal attention of four heads on the same keys: soft cap, a bias that falls with the distance,
// and the log-sum-exp beside the output.
// RUN: zyxc kernel check %s --sizes 24 | FileCheck %s
// CHECK: checked @attention_grouped on host: {{.*}} all agree
zyxk.kernel @attention_grouped dims(H, S) ports(%q: in bf16[H, 4, S, 64], %k, %v: in bf16[H, S, 64],
        %slope: in f32[H, 4], %o: out bf16[H, 4, S, 64], %lse: out f32[H, 4, S])
    axes(h < H, g < 4, i < S, j < S, d < 64, e < 64 where j <= i) {
  %q0 = load %q[h, g, i, d] : bf16
  %k0 = load %k[h, j, d] : bf16
  %v0 = load %v[h, j, e] : bf16
  %s = contract %q0, %k0 over [d] : bf16, bf16 -> f32
  %c = arith.constant 0.00625 : f32
  %cap = arith.constant 20.0 : f32
  %s1 = arith.mulf %s, %c : f32
  %s2 = math.tanh %s1 : f32
  %s3 = arith.mulf %s2, %cap : f32
  %b = load %slope[h, g] : f32
  %ii = index i
  %jj = index j
  %n = arith.subi %ii, %jj : index
  %ni = arith.index_cast %n : index to i32
  %nf = arith.sitofp %ni : i32 to f32
  %f = arith.mulf %nf, %b : f32
  %t = arith.subf %s3, %f : f32
  %m, %l, %u = expsum %t over [j] weights(unit, %v0 : bf16) : f32
  %r = arith.divf %u, %l : f32
  %z = arith.truncf %r : f32 to bf16
  store %z, %o[h, g, i, e] : bf16
  %ll = math.log %l : f32
  %y = arith.addf %m, %ll : f32
  store %y, %lse[h, g, i] : f32
}
