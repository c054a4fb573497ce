// Schedules that the units or the target do not have.
// RUN: zyx-opt %s -zyxk-lower-matrix=target=sm_90a -split-input-file -verify-diagnostics

// expected-error @+1 {{wgmma takes tiles of 64, 128, 192 or 256 rows, 64 to 256 columns in steps of 64 (128 beside 192 or 256 rows), and 64 of k; the schedule's is 128x96x64}}
zyxk.kernel @tile ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [128, 96, 64]>

// -----

// expected-error @+1 {{its tiles need 278608 bytes of workgroup memory; sm_90a has 232448}}
zyxk.kernel @stages ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [128, 256, 64], stages = 5>

// -----

// expected-error @+1 {{mma takes tiles of a multiple of 64 rows, 64 columns a warp, 16 to 64 rows a warp, 64 of k, 2, 4, 8 or 16 warps, and two stages; the schedule's is 128x128x32 with 4x2 warps and 4 stages}}
zyxk.kernel @depth ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = mma, cta = [128, 128, 32]>

// -----

// expected-error @+1 {{its schedule has split = 2, but #zyxk.mma on unit = wgmma takes 1 only}}
zyxk.kernel @split ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, split = 2>

// -----

// expected-error @+1 {{its schedule asks for a matrix unit, which takes factors that are both f16 or both bf16}}
zyxk.kernel @wide ports(%a: in f32[256, 256], %b: in f32[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f32
  %w = load %b[j, k] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = mma>

// -----

// expected-error @+1 {{its schedule has copy = cp_async, but #zyxk.mma on unit = wgmma takes tma only}}
zyxk.kernel @copy ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, copy = cp_async>

// -----

// expected-error @+1 {{wgmma has a warpgroup for each 64 rows of the tile, here 2x1; the schedule asks for 1x2}}
zyxk.kernel @warpgroups ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = wgmma, cta = [128, 128, 64], warpgroups = [1, 2]>

// -----

// Six warps would copy rows of 128 bytes 24 at a time, which do not end with a tile.
// expected-error @+1 {{2, 4, 8 or 16 warps, and two stages; the schedule's is 128x192x64 with 2x3 warps and 3 stages}}
zyxk.kernel @six_warps ports(%a: in f16[256, 256], %b: in f16[256, 256], %c: out f32[256, 256])
    axes(i < 256, j < 256, k < 256) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = mma, cta = [128, 192, 64], stages = 3>
