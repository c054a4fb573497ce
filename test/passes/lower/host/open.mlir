// Kernels whose dims have no size: these are arguments behind the scratch memory.
// RUN: zyx-opt %s --zyxk-lower-host=vector-bits=256 | FileCheck %s

// CHECK-DAG: affine_map<()[s0, s1] -> ((s0 * s1 + 4095) floordiv 4096)>
// CHECK-DAG: affine_map<()[s0] -> ((s0 + 4095) floordiv 4096)>
// CHECK-DAG: affine_map<()[s0, s1, s2] -> (((s0 + 3) floordiv 4) * ((s1 + 127) floordiv 128))>
// CHECK-DAG: affine_map<()[s0, s1] -> (s0)>

// All axes become one, cut into chunks of one task each. A last vector overlaps the one before it;
// what is shorter than a vector is masked.
// CHECK-LABEL: func.func @relu(
// CHECK-SAME: memref<1099511627776xf32>, %{{.*}}: memref<1099511627776xf32>, %{{.*}}: memref<0xi8>,
// CHECK-SAME: %[[M:.*]]: index, %[[N:.*]]: index, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: zyxk.dims = 2 : i64, zyxk.num_tasks = #{{map[0-9]*}}, zyxk.scratch_bytes = 0 : i64
// CHECK: arith.muli %[[M]], %[[N]]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.minsi
// CHECK: vector.load
// CHECK: arith.maximumf %{{.*}} : vector<8xf32>
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
zyxk.kernel @relu dims(M, N) ports(%x: in f32[M, N], %y: out f32[M, N]) axes(a < M, b < N) {
  %zero = arith.constant 0.0 : f32
  %v = load %x[a, b] : f32
  %m = arith.maximumf %v, %zero : f32
  store %m, %y[a, b] : f32
}

// A guard that holds at every point of the axes is left out, and so is the mask of the load.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: vector.maskedload {{.*}}vector.constant_mask
// CHECK: vector.load
zyxk.kernel @inside dims(N) ports(%x: in f32[N + 2], %y: out f32[N]) axes(i < N) {
  %zero = arith.constant 0.0 : f32
  %v = load %x[i + 1] : f32
  %w = where %v if (i + 1 >= 0 and i < N) else %zero : f32
  store %w, %y[i] : f32
}

// Four rows of two vectors share the loads of the second factor.
// CHECK-LABEL: func.func @product(
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: vector.load
// CHECK-COUNT-4: memref.load
// CHECK-NOT: vector.load
// CHECK: scf.yield
zyxk.kernel @product dims(M, N, K) ports(%a: in f32[M, K], %b: in f32[K, N], %y: out f32[M, N])
    axes(i < M, j < N, k < K) {
  %x = load %a[i, k] : f32
  %w = load %b[k, j] : f32
  %c = contract %x, %w over [k] : f32, f32 -> f32
  store %c, %y[i, j] : f32
}

// Exponentials wait in scratch memory where a row fits.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: zyxk.num_tasks = #{{map[0-9]*}}
// CHECK: arith.cmpi sle, %{{.*}} : index
// CHECK: scf.if
// CHECK: memref.view
// CHECK: math.exp
// CHECK: vector.store %{{.*}} : memref<16400xf32>
// CHECK: vector.load %{{.*}} : memref<16400xf32>
// CHECK: return
zyxk.kernel @softmax dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}

// A count is a product of sizes. Prefixes are stored as they come.
// CHECK-LABEL: func.func @shares(
// CHECK-SAME: memref<0xi8>
// CHECK: arith.sitofp %{{.*}} : i64 to f64
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: vector.store
zyxk.kernel @shares dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %one = arith.constant 1.0 : f32
  %count = reduce add %one over [n] : f32
  %a = load %x[r, n] : f32
  %d = arith.divf %a, %count : f32
  %s = scan add %d along n : f32
  store %s, %y[r, n] : f32
}
