// The register tile of a product by the width of vectors: 6 x 2 of 256 bits, whose loads keep up with two
// multiply-adds a cycle. It fetches the next rows; packing columns fetches rows of the operand that are far apart.
// RUN: zyx-opt %s --zyxk-lower-host=vector-bits=256 | FileCheck %s

// CHECK-LABEL: func.func private @product_tile(
// CHECK: %{{.*}}:12 = scf.for
// CHECK: memref.prefetch %arg0
// CHECK-COUNT-12: math.fma %{{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK-LABEL: func.func @product(
// CHECK: memref.prefetch %arg1
zyxk.kernel @product ports(%a: in f32[1024, 1024], %b: in f32[1024, 1024], %y: out f32[1024, 1024])
    axes(i < 1024, j < 1024, k < 1024) {
  %l = load %a[i, k] : f32
  %r = load %b[k, j] : f32
  %c = contract %l, %r over [k] : f32, f32 -> f32
  store %c, %y[i, j] : f32
}
