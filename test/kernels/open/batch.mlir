// Contractions whose batch has no size: tiles for one slice, run for each.
// RUN: zyxc kernel check %s --open --sizes 24 | FileCheck %s
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel emit %s --open --emit mlir | FileCheck %s --check-prefix=MLIR
// CHECK: checked @batch_product on host{{.*}} all agree
// CHECK: checked @batch_conv on host{{.*}} all agree
// CHECK: checked @rows on host{{.*}} all agree

// MLIR: func.func @batch_product({{.*}}zyxk.dims = 1 : i64, {{.*}}zyxk.slice_bytes = array<i64: 612, 0, 884>, zyxk.slice_tasks =
zyxk.kernel @batch_product dims(N) ports(%x: in f32[N, 17, 9], %w: in f32[9, 13], %y: out f32[N, 17, 13] align 64) axes(n < N, i < 17, j < 13, k < 9) {
  %a = load %x[n, i, k] : f32
  %b = load %w[k, j] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[n, i, j] : f32
} schedule #zyxk.contract<>

// MLIR: func.func @batch_conv({{.*}}zyxk.slice_tasks =
zyxk.kernel @batch_conv dims(N) ports(%x: in f32[N, 2, 5, 7], %w: in f32[4, 2, 3, 3], %b: in f32[4], %y: out f32[N, 4, 5, 7]) axes(n < N, o < 4, h < 5, v < 7, c < 2, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[n, c, h + r - 1, v + s - 1] : f32
  %g = where %a if (h + r >= 1 and h + r - 1 <= 4 and v + s >= 1 and v + s - 1 <= 6) else %zero : f32
  %f = load %w[o, c, r, s] : f32
  %p = contract %g, %f over [c, r, s] : f32, f32 -> f32
  %q = load %b[o] : f32
  %z = arith.addf %p, %q : f32
  store %z, %y[n, o, h, v] : f32
} schedule #zyxk.contract<>

// Slices that are vectors have no tiles: rows share what is loaded.
// MLIR: func.func @rows(
// MLIR-NOT: slice_tasks
zyxk.kernel @rows dims(N) ports(%x: in f32[N, 9], %w: in f32[9, 13], %y: out f32[N, 13]) axes(n < N, j < 13, k < 9) {
  %a = load %x[n, k] : f32
  %b = load %w[k, j] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[n, j] : f32
} schedule #zyxk.contract<>
