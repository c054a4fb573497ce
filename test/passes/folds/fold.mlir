// How folds are lowered: states per lane for a free one, vectors merged in order for a tree, one point
// after the other for a serial one; what no family takes is an error with its place.
// RUN: zyx-opt %s --zyxk-lower-host=vector-bits=256 --split-input-file | FileCheck %s
// RUN: not zyx-opt %s --zyxk-lower-gpu=target=sm_80 --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: func.func @free
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<8xf32>)
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6] : vector<8xf32>, vector<8xf32>
// CHECK: vector.shuffle {{.*}} [1, 3, 5, 7] : vector<8xf32>, vector<8xf32>
zyxk.kernel @free ports(%x: in f32[64, 128], %y: out f32[64]) axes(r < 64, n < 128) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[r, n] : f32
  %s = fold %a over [n] order free init(%zero) step(%s: f32, %v: f32) {
    %q = arith.mulf %v, %v : f32
    %t = arith.addf %s, %q : f32
    yield %t : f32
  } merge(%s: f32, %t: f32) {
    %u = arith.addf %s, %t : f32
    yield %u : f32
  }
  store %s, %y[r] : f32
}

// -----

// CHECK-LABEL: func.func @tree
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6]
zyxk.kernel @tree ports(%x: in f32[64, 128], %y: out f32[64]) axes(r < 64, n < 128) {
  %one = arith.constant 1.0 : f32
  %a = load %x[r, n] : f32
  %s = fold %a over [n] order tree init(%one) step(%s: f32, %v: f32) {
    %t = arith.mulf %s, %v : f32
    yield %t : f32
  } merge(%s: f32, %t: f32) {
    %u = arith.mulf %s, %t : f32
    yield %u : f32
  }
  store %s, %y[r] : f32
}

// -----

// CHECK-LABEL: func.func @serial
// CHECK-NOT: vector.shuffle
// CHECK: arith.divf {{.*}} : f32
zyxk.kernel @serial ports(%x: in f32[1, 128], %y: out f32[1]) axes(r < 1, n < 128) {
  %one = arith.constant 1.0 : f32
  %a = load %x[r, n] : f32
  %s = fold %a over [n] init(%one) step(%s: f32, %v: f32) {
    %t = arith.divf %s, %v : f32
    yield %t : f32
  }
  store %s, %y[r] : f32
}

// -----

// GPU: fold.mlir:[[#@LINE+5]]:{{.*}} error: {{.*}} cannot be lowered beside a scan; split the kernel
zyxk.kernel @beside_scan ports(%x: in f32[8, 128], %y: out f32[8, 128]) axes(r < 8, n < 128) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[r, n] : f32
  %b = scan add %a along n : f32
  %s = fold %a over [n] init(%zero) step(%s: f32, %v: f32) {
    %t = arith.subf %v, %s : f32
    yield %t : f32
  }
  %c = arith.addf %b, %s : f32
  store %c, %y[r, n] : f32
}

// -----

// GPU: fold.mlir:[[#@LINE+2]]:3: error: {{.*}} cannot be lowered: routine 'topk' runs on the host only
zyxk.kernel @routine ports(%x: in f32[8], %y: out f32[8], %i: out i64[8]) axes() {
  opaque @topk(%x, %y, %i)
}
