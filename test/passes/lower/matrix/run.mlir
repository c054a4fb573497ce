// Matrix kernels on the simulated GPU: both units, factors along k and along rows, batches, packed
// factors, several stores, sizes that fill no tile.
// RUN: zyxc kernel check %s --target sm_90a --simulate --schedule '#zyxk.mma<unit = wgmma>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90a --simulate --schedule '#zyxk.mma<unit = wgmma, cta = [256, 128, 64]>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate --schedule '#zyxk.mma<unit = mma>' | FileCheck %s
// RUN: zyxc kernel check %s --target sm_80 --simulate --schedule '#zyxk.mma<unit = fma>' | FileCheck %s

// CHECK: checked @along_rows on sm_{{.*}}: all agree
zyxk.kernel @along_rows ports(%a: in bf16[200, 136], %b: in bf16[200, 144], %bias: in f32[144],
                              %c: out f32[136, 144])
    axes(i < 136, j < 144, k < 200) {
  %x = load %a[k, i] : bf16
  %w = load %b[k, j] : bf16
  %s = contract %x, %w over [k] : bf16, bf16 -> f32
  %v = load %bias[j] : f32
  %h = arith.addf %s, %v : f32
  store %h, %c[i, j] : f32
}

// CHECK: checked @batched on sm_{{.*}}: all agree
zyxk.kernel @batched ports(%a: in f16[3, 2, 72, 80], %b: in f16[2, 40, 80], %r: in f16[3, 2, 72, 40],
                           %c: out f16[3, 2, 72, 40])
    axes(e < 3, g < 2, i < 72, j < 40, k < 80) {
  %x = load %a[e, g, i, k] : f16
  %w = load %b[g, j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %v = load %r[e, g, i, j] : f16
  %f = arith.extf %v : f16 to f32
  %h = arith.addf %s, %f : f32
  %o = arith.truncf %h : f32 to f16
  store %o, %c[e, g, i, j] : f16
}

// CHECK: checked @ragged on sm_{{.*}}: all agree
zyxk.kernel @ragged ports(%a: in f16[129, 67], %b: in f16[67, 131], %c: out f16[129, 131])
    axes(i < 129, j < 131, k < 67) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %o, %c[i, j] : f16
}

// The results are contiguous along a's rows, so the factors change places.
// CHECK: checked @turned on sm_{{.*}}: all agree
zyxk.kernel @turned ports(%a: in f16[96, 64], %b: in f16[72, 64], %c: out f32[72, 96],
                          %d: out f16[72, 96])
    axes(i < 96, j < 72, k < 64) {
  %x = load %a[i, k] : f16
  %w = load %b[j, k] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %s, %c[j, i] : f32
  store %o, %d[j, i] : f16
}

// CHECK: checked @conv on sm_{{.*}}: all agree
zyxk.kernel @conv ports(%w: in f16[24, 8, 3, 3], %x: in f16[2, 8, 9, 9], %y: out f16[2, 24, 9, 9])
    axes(n < 2, m < 24, p < 9, q < 9, c < 8, r < 3, s < 3) {
  %zero = arith.constant 0.0 : f16
  %a = load %w[m, c, r, s] : f16
  %l = load %x[n, c, p + r - 1, q + s - 1] : f16
  %b = where %l if (p + r - 1 >= 0 and p + r - 1 < 9 and q + s - 1 >= 0 and q + s - 1 < 9)
       else %zero : f16
  %t = contract %a, %b over [c, r, s] : f16, f16 -> f32
  %o = arith.truncf %t : f32 to f16
  store %o, %y[n, m, p, q] : f16
}

// CHECK: checked @prologue on sm_{{.*}}: all agree
zyxk.kernel @prologue ports(%a: in f16[64, 72], %scale: in f16[72], %b: in f16[72, 64],
                            %c: out f16[64, 64])
    axes(i < 64, j < 64, k < 72) {
  %zero = arith.constant 0.0 : f16
  %x = load %a[i, k] : f16
  %g = load %scale[k] : f16
  %y = arith.mulf %x, %g : f16
  %r = arith.maximumf %y, %zero : f16
  %w = load %b[k, j] : f16
  %s = contract %r, %w over [k] : f16, f16 -> f16
  store %s, %c[i, j] : f16
}

// Stores of pairs: rows and batches of odd pitch, so that every second row starts in the middle of a
// word; a prologue, and a bias that differs between columns and rows.
// CHECK: checked @odd_batches on sm_{{.*}}: all agree
zyxk.kernel @odd_batches ports(%a: in bf16[3, 71, 33], %b: in bf16[3, 33, 37], %u: in f32[71],
                               %v: in f16[37], %c: out bf16[3, 71, 37])
    axes(e < 3, i < 71, j < 37, k < 33) {
  %x = load %a[e, i, k] : bf16
  %w = load %b[e, k, j] : bf16
  %s = contract %x, %w over [k] : bf16, bf16 -> f32
  %p = load %u[i] : f32
  %q = load %v[j] : f16
  %f = arith.extf %q : f16 to f32
  %h = arith.mulf %s, %p : f32
  %g = arith.addf %h, %f : f32
  %o = arith.truncf %g : f32 to bf16
  store %o, %c[e, i, j] : bf16
}

// The store starts in the middle of a word, and its pitch is even.
// CHECK: checked @shifted on sm_{{.*}}: all agree
zyxk.kernel @shifted ports(%a: in f16[66, 64], %b: in f16[64, 66], %c: inout f16[66, 70])
    axes(i < 66, j < 66, k < 64) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %o, %c[i, j + 3] : f16
}

// One column only, and a pitch of 1: every pair is apart.
// CHECK: checked @column on sm_{{.*}}: all agree
zyxk.kernel @column ports(%a: in f16[130, 65], %b: in f16[65, 1], %c: out f16[130, 1])
    axes(i < 130, j < 1, k < 65) {
  %x = load %a[i, k] : f16
  %w = load %b[k, j] : f16
  %s = contract %x, %w over [k] : f16, f16 -> f32
  %o = arith.truncf %s : f32 to f16
  store %o, %c[i, j] : f16
}
