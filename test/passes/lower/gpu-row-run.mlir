// Rows in workgroup memory and in one pass, against the interpreter: sizes that leave rests
// everywhere, with little memory and few threads, too.
// RUN: zyxc kernel check %s --target vulkan --sizes 8 | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --sizes 8 | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --kernel softmax_default --dim R=2,N=40000 | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --kernel softmax_default --dim R=2,N=70001 | FileCheck %s
// CHECK-NOT: differ

zyxk.kernel @softmax_default dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}
zyxk.kernel @softmax_smem dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
} schedule #zyxk.row<scope = block, threads = 64, hold = smem>
zyxk.kernel @softmax_online dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
} schedule #zyxk.row<hold = reload, online = 1>
zyxk.kernel @layer_norm_smem dims(R, N) ports(%x: in f32[R, N], %r: in f32[R, N], %g: in f32[N], %y: out f32[R, N]) axes(i < R, n < N) {
  %a0 = load %x[i, n] : f32
  %a1 = load %r[i, n] : f32
  %a = arith.addf %a0, %a1 : f32
  %mean, %sq = welford %a over [n] : f32
  %one = arith.constant 1.0 : f32
  %cnt = reduce add %one over [n] : f32
  %var = arith.divf %sq, %cnt : f32
  %eps = arith.constant 1.0e-5 : f32
  %v = arith.addf %var, %eps : f32
  %s = math.rsqrt %v : f32
  %d = arith.subf %a, %mean : f32
  %q = arith.mulf %d, %s : f32
  %w = load %g[n] : f32
  %z = arith.mulf %q, %w : f32
  store %z, %y[i, n] : f32
} schedule #zyxk.row<hold = smem>
zyxk.kernel @layer_norm_online dims(R, N) ports(%x: in f32[R, N], %r: in f32[R, N], %g: in f32[N], %y: out f32[R, N]) axes(i < R, n < N) {
  %a0 = load %x[i, n] : f32
  %a1 = load %r[i, n] : f32
  %a = arith.addf %a0, %a1 : f32
  %mean, %sq = welford %a over [n] : f32
  %one = arith.constant 1.0 : f32
  %cnt = reduce add %one over [n] : f32
  %var = arith.divf %sq, %cnt : f32
  %eps = arith.constant 1.0e-5 : f32
  %v = arith.addf %var, %eps : f32
  %s = math.rsqrt %v : f32
  %d = arith.subf %a, %mean : f32
  %q = arith.mulf %d, %s : f32
  %w = load %g[n] : f32
  %z = arith.mulf %q, %w : f32
  store %z, %y[i, n] : f32
} schedule #zyxk.row<scope = block, threads = 64, hold = reload, online = 1>
zyxk.kernel @half_block dims(R, N) ports(%x: in f16[R, N], %y: out f16[R, N]) axes(r < R, n < N) {
  %h = load %x[r, n] : f16
  %a = arith.extf %h : f16 to f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  %o = arith.truncf %q : f32 to f16
  store %o, %y[r, n] : f16
} schedule #zyxk.block<threads = 64, hold = smem>
zyxk.kernel @weighted dims(R, N) ports(%x: in f32[R, N], %u: in f16[R, N], %y: out f32[R], %m: out f32[R], %z: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %b = load %u[r, n] : f16
  %mm, %l, %w = expsum %a over [n] weights(unit, %b : f16) : f32
  %q = arith.divf %w, %l : f32
  store %q, %y[r] : f32
  store %mm, %m[r] : f32
  %d = arith.subf %a, %mm : f32
  %e = math.exp %d : f32
  %p = arith.divf %e, %l : f32
  store %p, %z[r, n] : f32
} schedule #zyxk.row<hold = reload, online = 1>
zyxk.kernel @triangle dims(N) ports(%x: in f32[N, N], %y: inout f32[N, N]) axes(r < N, n < N where n <= r) {
  %a = load %x[r, n] : f32
  %m, %l = expsum %a over [n] weights(unit) : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %q = arith.divf %e, %l : f32
  store %q, %y[r, n] : f32
} schedule #zyxk.row<hold = reload, online = 1>
// Of a row of -inf: what the graph gives is NaN, what expsum gives is a sum of 0.
zyxk.kernel @lowest dims(R, N) ports(%x: in f32[R, N], %y: out f32[R], %z: out f32[R], %u: out f32[R]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %low = arith.constant 0xFF800000 : f32
  %b = where %a if (r >= 1 and n >= 3) else %low : f32
  %m = reduce max %b over [n] : f32
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %k, %l = expsum %b over [n] weights(unit) : f32
  store %s, %y[r] : f32
  store %l, %z[r] : f32
  store %k, %u[r] : f32
} schedule #zyxk.row<hold = reload, online = 1>
