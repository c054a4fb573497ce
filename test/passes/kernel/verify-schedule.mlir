// Schedules that a machine cannot run: the message names the limit and both numbers.
// RUN: zyx-opt %s --split-input-file --verify-diagnostics --zyxk-verify-schedule=target=sm_90a

zyxk.kernel @fits ports(%A: in f16[4096, 4096], %B: in f16[4096, 4096], %C: out f32[4096, 4096])
    axes(i < 4096, j < 4096, k < 4096) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  store %c, %C[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [128, 256, 64], warpgroups = [2, 1], stages = 4, copy = tma,
    swizzle = 128, loaders = 1, regs = [24, 240], grid = persistent, group = 16, cols = 64>

// -----

// expected-error @below {{its schedule needs 393216 bytes of shared memory, sm_90a has 232448}}
zyxk.kernel @stages ports(%A: in f16[4096, 4096], %B: in f16[4096, 4096], %C: out f32[4096, 4096])
    axes(i < 4096, j < 4096, k < 4096) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  store %c, %C[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [128, 256, 64], warpgroups = [2, 1], stages = 8, copy = tma,
    loaders = 1, regs = [24, 240]>

// -----

// expected-error @below {{its schedule needs 280 registers a thread for its accumulators, sm_90a has 240 for each of 384 threads}}
zyxk.kernel @accumulators ports(%A: in f16[4096, 4096], %B: in f16[4096, 4096], %C: out f32[4096, 4096])
    axes(i < 4096, j < 4096, k < 4096) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  store %c, %C[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [256, 256, 64], warpgroups = [2, 1], stages = 2, copy = tma,
    loaders = 1, regs = [24, 240]>

// -----

// expected-error @below {{its schedule has a tile of 96x128, which is no multiple of the 64x16 that its units cover at once}}
zyxk.kernel @tile ports(%A: in f16[4096, 4096], %B: in f16[4096, 4096], %C: out f32[4096, 4096])
    axes(i < 4096, j < 4096, k < 4096) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  store %c, %C[i, j] : f32
} schedule #zyxk.mma<unit = mma, cta = [96, 128, 32], warps = [4, 2], stages = 3, copy = cp_async>

// -----

// expected-error @below {{its schedule needs 1048 registers a thread to hold its rows, sm_90a has 255}}
zyxk.kernel @row ports(%x: in f32[64, 8192], %y: out f32[64, 8192]) axes(r < 64, n < 8192) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  store %d, %y[r, n] : f32
} schedule #zyxk.row<scope = subgroup, rows = 4, threads = 128, hold = reg, vec = 4>

// -----

// expected-error @below {{its schedule needs 256 bits of one access, sm_90a has 128}}
zyxk.kernel @vector ports(%x: in f32[64], %y: out f32[64]) axes(r < 64) {
  %a = load %x[r] : f32
  store %a, %y[r] : f32
} schedule #zyxk.map<vec = 8>

// -----

// expected-error @below {{its schedule needs 2048 threads, sm_90a has 1024}}
zyxk.kernel @threads ports(%x: in f32[64], %y: out f32[64]) axes(r < 64) {
  %a = load %x[r] : f32
  store %a, %y[r] : f32
} schedule #zyxk.map<threads = 2048>

// -----

// expected-error @below {{its schedule needs 16 workgroups of a cluster, sm_90a has 8}}
zyxk.kernel @cluster ports(%x: in f32[64], %y: out f32[64]) axes(r < 64) {
  %a = load %x[r] : f32
  store %a, %y[r] : f32
} schedule #zyxk.row<scope = cluster, cluster = 16>

// -----

// expected-error @below {{its schedule needs 589824 bytes of shared memory, sm_90a has 232448}}
zyxk.kernel @attention ports(%q, %k, %v: in f16[2048, 128], %o: out f32[2048, 128])
    axes(i < 2048, j < 2048, d < 128, e < 128) {
  %q0 = load %q[i, d] : f16
  %k0 = load %k[j, d] : f16
  %v0 = load %v[j, e] : f16
  %s = contract %q0, %k0 over [d] : f16, f16 -> f32
  %m, %l, %u = expsum %s over [j] weights(unit, %v0 : f16) : f32
  %r = arith.divf %u, %l : f32
  store %r, %o[i, e] : f32
} schedule #zyxk.attn<q = 256, kv = 64, unit = wgmma, warpgroups = 4, stages = 16, copy = tma, loaders = 1, regs = [24, 120]>
