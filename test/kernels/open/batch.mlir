// Contractions whose batch has no size: tiles for one slice, run for each.
// RUN: zyxc kernel check %s --open --sizes 24 --work=3e8 | FileCheck %s
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel emit %s --open --emit mlir | FileCheck %s --check-prefix=MLIR
// CHECK: checked @batch_product on host{{.*}} all agree
// CHECK: checked @batch_conv on host{{.*}} all agree
// CHECK: checked @rows on host{{.*}} all agree
// CHECK: checked @points on host{{.*}} all agree
// CHECK: checked @strided on host{{.*}} all agree
// CHECK: checked @large on host{{.*}} all agree
// CHECK: checked @vector on host{{.*}} all agree

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

// A point of the batch is a row: a slice is a block of rows.
// MLIR: func.func @rows({{.*}}zyxk.slice_points = 96 : i64
zyxk.kernel @rows dims(N) ports(%x: in f32[N, 9], %w: in f32[9, 13], %y: out f32[N, 13]) axes(n < N, j < 13, k < 9) {
  %a = load %x[n, k] : f32
  %b = load %w[k, j] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[n, j] : f32
} schedule #zyxk.contract<>

// Two dims: their points follow each other. Two stores, a residual sum, rows packed by lanes.
// MLIR: func.func @points({{.*}}zyxk.dims = 2 : i64, {{.*}}zyxk.slice_points = 96 : i64
zyxk.kernel @points dims(N, T) ports(%x: in f32[N, T, 40], %w: in f32[40, 70], %b: in f32[70], %r: in f32[N, T, 70], %y: out f32[N, T, 70], %z: out f32[N, T, 70]) axes(n < N, t < T, j < 70, k < 40) {
  %a = load %x[n, t, k] : f32
  %t = math.tanh %a : f32
  %f = load %w[k, j] : f32
  %c = contract %t, %f over [k] : f32, f32 -> f32
  %q = load %b[j] : f32
  %s = arith.addf %c, %q : f32
  %o = load %r[n, t, j] : f32
  %u = arith.addf %s, %o : f32
  store %s, %y[n, t, j] : f32
  store %u, %z[n, t, j] : f32
} schedule #zyxk.contract<>

// Every second element of a row: rows are packed by lanes.
// MLIR: func.func @strided({{.*}}zyxk.slice_points = 96 : i64
zyxk.kernel @strided dims(N) ports(%x: in f32[N, 24, 2], %w: in f32[24, 33], %y: out f32[N, 33]) axes(n < N, j < 33, k < 24) {
  %a = load %x[n, k, 1] : f32
  %b = load %w[k, j] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[n, j] : f32
} schedule #zyxk.contract<>

// Blocks of several tasks, some of which have no rows in the last block; narrow sums in two blocks.
// MLIR: func.func @large({{.*}}zyxk.slice_points = 96 : i64, zyxk.slice_tasks = {{[2-9]}}
zyxk.kernel @large dims(N) ports(%x: in f16[N, 2100], %w: in f16[2100, 130], %y: out f16[N, 130]) axes(n < N, j < 130, k < 2100) {
  %a = load %x[n, k] : f16
  %b = load %w[k, j] : f16
  %c = contract %a, %b over [k] : f16, f16 -> f32
  %r = arith.truncf %c : f32 to f16
  store %r, %y[n, j] : f16
} schedule #zyxk.contract<>

// A product without columns: loops.
// MLIR: func.func @vector(
// MLIR-NOT: slice_points
zyxk.kernel @vector dims(N) ports(%x: in f32[N, 9], %w: in f32[9], %y: out f32[N]) axes(n < N, k < 9) {
  %a = load %x[n, k] : f32
  %b = load %w[k] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[n] : f32
} schedule #zyxk.contract<>
