// f16 and bf16 on the host: arithmetic is in f32 and rounds at its end, casts from wider types round once, and
// lanes of bf16 move as integers, whatever the processor has.
// RUN: zyxc kernel check %s --sizes 12 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --target host-avx2 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --target host-scalar | FileCheck %s
// RUN: zyxc kernel check %source/test/kernels/matmul_bf16.mlir --sizes 6 --target host-avx2
// RUN: zyxc kernel check %source/test/kernels/matmul_bf16.mlir --sizes 6 --target host-scalar
// RUN: zyxc kernel emit %s --kernel chain --dim M=8,N=64 --target host-avx2 --emit=llvm | FileCheck %s --check-prefix=LLVM

// CHECK: checked @copy on {{.*}}: all agree
zyxk.kernel @copy dims(M, N) ports(%x: in bf16[M, N], %h: in f16[M, N], %y: out bf16[N, M], %z: out f16[M, N])
    axes(i < M, j < N) {
  %a = load %x[i, j] : bf16
  %b = load %h[i, j] : f16
  store %a, %y[j, i] : bf16
  store %b, %z[i, j] : f16
}

// CHECK-NEXT: checked @chain on {{.*}}: all agree
// One rounding, in integers, and no call.
// LLVM-LABEL: define {{.*}}@chain.body
// LLVM-NOT: bfloat
// LLVM: fcmp uno <{{[0-9]+}} x float>
// LLVM-NOT: fcmp uno
// LLVM-NOT: call {{.*}}trunc
zyxk.kernel @chain dims(M, N) ports(%x: in bf16[M, N], %y: out bf16[M, N]) axes(i < M, j < N) {
  %a = load %x[i, j] : bf16
  %one = arith.constant 1.0 : bf16
  %half = arith.constant 0.5 : bf16
  %s = arith.mulf %a, %half : bf16
  %t = arith.addf %s, %one : bf16
  %u = arith.divf %a, %t : bf16
  store %u, %y[i, j] : bf16
}

// CHECK-NEXT: checked @choice on {{.*}}: all agree
zyxk.kernel @choice dims(M, N) ports(%x: in bf16[M, N], %h: in f16[M, N], %y: out bf16[M, N], %z: out f16[M, N])
    axes(i < M, j < N) {
  %a = load %x[i, j] : bf16
  %zero = arith.constant 0.0 : bf16
  %e = math.exp %a : bf16
  %m = arith.maximumf %a, %zero : bf16
  %p = arith.cmpf ogt, %a, %zero : bf16
  %q = arith.select %p, %e, %m : bf16
  store %q, %y[i, j] : bf16
  %b = load %h[i, j] : f16
  %t = math.tanh %b : f16
  store %t, %z[i, j] : f16
}

// Bits of every class of f32: infinities, quiet and other NaN, denormals, ties.
// CHECK-NEXT: checked @classes on {{.*}}: all agree
zyxk.kernel @classes dims(N) ports(%w: in i32[N], %x: out bf16[N], %y: out f16[N], %z: out bf16[N]) axes(n < N) {
  %k = load %w[n] : i32
  %spread = arith.constant 654435769 : i32
  %step = arith.constant 32768 : i32
  %top = arith.constant 2139095040 : i32
  %bits = arith.muli %k, %spread : i32
  %f = arith.bitcast %bits : i32 to f32
  %b = arith.truncf %f : f32 to bf16
  %h = arith.truncf %f : f32 to f16
  %ties = arith.muli %k, %step : i32
  %near = arith.addi %ties, %top : i32
  %g = arith.bitcast %near : i32 to f32
  %c = arith.truncf %g : f32 to bf16
  store %b, %x[n] : bf16
  store %h, %y[n] : f16
  store %c, %z[n] : bf16
}

// CHECK-NEXT: checked @casts on {{.*}}: all agree
zyxk.kernel @casts dims(N) ports(%d: in f64[N], %i: in i64[N], %w: in i32[N], %x: out bf16[N], %y: out f64[N],
    %z: out bf16[N]) axes(n < N) {
  %a = load %d[n] : f64
  %b = arith.truncf %a : f64 to bf16
  %c = arith.truncf %a : f64 to f16
  %h = arith.extf %c : f16 to f64
  %k = load %i[n] : i64
  %l = arith.sitofp %k : i64 to bf16
  %e = load %w[n] : i32
  %f = arith.sitofp %e : i32 to bf16
  %g = arith.addf %l, %f : bf16
  store %b, %x[n] : bf16
  store %h, %y[n] : f64
  store %g, %z[n] : bf16
}

// CHECK-NEXT: checked @sums on {{.*}}: all agree
zyxk.kernel @sums dims(M, N) ports(%x: in bf16[M, N], %h: in f16[M, N], %y: out bf16[M], %z: out bf16[N],
    %w: out f16[M]) axes(i < M, j < N) {
  %a = load %x[i, j] : bf16
  %s = reduce add %a over [j] : bf16
  %t = reduce max %a over [i] : bf16
  %b = load %h[i, j] : f16
  %u = reduce add %b over [j] : f16
  store %s, %y[i] : bf16
  store %t, %z[j] : bf16
  store %u, %w[i] : f16
}

// CHECK-NEXT: checked @gather on {{.*}}: all agree
zyxk.kernel @gather dims(N, K) ports(%x: in bf16[N], %i: in i64[K], %y: out bf16[K]) axes(k < K) assume(N >= 1) {
  %at = load %i[k] : i64
  %v = arith.index_cast %at : i64 to index
  %a = load %x[%v] oob clamp : bf16
  store %a, %y[k] : bf16
}
