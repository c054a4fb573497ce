// Units that a machine lacks.
// RUN: zyx-opt %s --split-input-file --verify-diagnostics --zyxk-verify-schedule=target=vulkan

// expected-error @below {{its schedule multiplies by wgmma, which vulkan does not have}}
zyxk.kernel @unit ports(%A: in f16[64, 64], %B: in f16[64, 64], %C: out f32[64, 64])
    axes(i < 64, j < 64, k < 64) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  store %c, %C[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [64, 64, 64], warpgroups = [1, 1]>

// -----

// expected-error @below {{its schedule copies by cp_async, which vulkan does not have}}
zyxk.kernel @copy ports(%A: in f16[64, 64], %B: in f16[64, 64], %C: out f32[64, 64])
    axes(i < 64, j < 64, k < 64) {
  %a = load %A[i, k] : f16
  %b = load %B[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  store %c, %C[i, j] : f32
} schedule #zyxk.mma<unit = fma, cta = [64, 64, 16], thread = [4, 4], copy = cp_async>

// -----

// expected-error @below {{its schedule is #zyxk.contract, which is for the host; vulkan takes #zyxk.map, #zyxk.move}}
zyxk.kernel @host ports(%x: in f32[64]) axes(r < 64) {
} schedule #zyxk.contract<mr = 8>

// -----

// expected-error @below {{its schedule moves tiles via tma, which vulkan does not have}}
zyxk.kernel @tma ports(%x: in f32[64]) axes(r < 64) {
} schedule #zyxk.move<via = tma>

// -----

// expected-error @below {{its schedule has 100 threads, which is no multiple of the subgroup of 8 of vulkan}}
zyxk.kernel @subgroup ports(%x: in f32[64]) axes(r < 64) {
} schedule #zyxk.map<threads = 100>
