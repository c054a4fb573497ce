// A program runs kernels one after another, with scratch between them.
// RUN: zyx-opt %s --split-input-file --verify-diagnostics | FileCheck %s
// RUN: zyx-opt %s --split-input-file --verify-diagnostics --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// GENERIC: "zyxk.launch"(%{{.*}}, %{{.*}}) <{dim_names = ["P", "N"], dims = #{{.*}}, kernel = @join}>
zyxk.kernel @parts dims(P, Q, N) ports(%x: in f32[P * Q, N], %w: out f32[P, N]) axes(p < P, q < Q, n < N) {
}
zyxk.kernel @join dims(P, N) ports(%w: in f32[P, N], %y: out f32[N]) axes(p < P, n < N) {
  %a = load %w[p, n] : f32
  %s = reduce add %a over [p] : f32
  store %s, %y[n] : f32
}
// CHECK-LABEL: zyxk.program @column_sum dims(N) ports(%in0: in f32[2048, N], %out1: out f32[N], %scratch2: scratch f32[32, N]) assume(N mod 4 == 0) {
// CHECK-NEXT: launch @parts(%in0, %scratch2) dims(P = 32, Q = 64, N = N)
// CHECK-NEXT: launch @join(%scratch2, %out1) dims(P = 32, N = N)
// CHECK-NEXT: }
zyxk.program @column_sum dims(N) ports(%x: in f32[2048, N], %y: out f32[N], %w: scratch f32[32, N]) assume(N mod 4 == 0) {
  launch @parts(%x, %w) dims(P = 32, Q = 64, N = N)
  launch @join(%w, %y) dims(P = 32, N = N)
}

// -----

zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
}
zyxk.program @order dims(N) ports(%x: in f32[N], %y: out f32[N], %w: scratch f32[N]) {
  // expected-error @below {{reads scratch port 2, which no launch before it writes}}
  launch @copy(%w, %y) dims(N = N)
  launch @copy(%x, %w) dims(N = N)
}

// -----

zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
}
// expected-error @below {{no launch writes out port 2}}
zyxk.program @missing dims(N) ports(%x: in f32[N], %y, %z: out f32[N]) {
  launch @copy(%x, %y) dims(N = N)
}

// -----

zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
}
zyxk.program @sizes dims(N) ports(%x: in f32[N], %y: out f32[N]) {
  // expected-error @below {{axis 0 of port 0 has another size than the kernel's port}}
  launch @copy(%x, %y) dims(N = N * 2)
}

// -----

zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
}
zyxk.program @modes dims(N) ports(%x: in f32[N], %y: out f32[N]) {
  launch @copy(%x, %y) dims(N = N)
  // expected-error @below {{port 1 is 'in', but the kernel takes it as 'out'}}
  launch @copy(%x, %x) dims(N = N)
}

// -----

zyxk.program @unknown dims(N) ports(%x: in f32[N], %y: out f32[N]) {
  // expected-error @below {{launches @copy, which is no kernel here}}
  launch @copy(%x, %y) dims(N = N)
}

// -----

zyxk.kernel @copy dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
}
zyxk.program @dims dims(N) ports(%x: in f32[N], %y: out f32[N]) {
  // expected-error @below {{gives dims [], but the kernel has ["N"]}}
  launch @copy(%x, %y)
}
