// RUN: not zyx-opt %s --split-input-file --zyxk-lower-gpu 2>&1 | FileCheck %s
// RUN: not zyx-opt %s --zyxk-lower-gpu=target=host 2>&1 | FileCheck %s --check-prefix=HOST

// HOST: 'host' is no GPU target; known are
// CHECK: cannot be lowered: its dims must be bound to sizes first
zyxk.kernel @dims dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(n < N) {
  %a = load %x[n] : f32
  store %a, %y[n] : f32
}

// -----

// CHECK: is no move: its loads and stores run along the same axis
zyxk.kernel @copy ports(%x: in f32[64, 64], %y: out f32[64, 64]) axes(i < 64, j < 64) {
  %a = load %x[i, j] : f32
  store %a, %y[i, j] : f32
} schedule #zyxk.move<vec = 4>

// -----

// CHECK: all scans of a kernel run along one axis in one direction; split the kernel
zyxk.kernel @scans ports(%x: in f32[64, 64], %y: out f32[64, 64]) axes(i < 64, j < 64) {
  %a = load %x[i, j] : f32
  %s = scan add %a along j : f32
  %t = scan add %s along i : f32
  store %t, %y[i, j] : f32
}

// -----

// CHECK: cannot hold its rows in workgroup memory: that needs 266240 bytes, sm_90a has 232448
zyxk.kernel @rows ports(%x: in f32[64, 65536], %y: out f32[64, 65536]) axes(i < 64, j < 65536) {
  %a = load %x[i, j] : f32
  %s = reduce add %a over [j] : f32
  %d = arith.subf %a, %s : f32
  store %d, %y[i, j] : f32
} schedule #zyxk.row<hold = smem>

// -----

// CHECK: its schedule has scope = cluster, but #zyxk.row on GPUs takes subgroup|block only
zyxk.kernel @cluster ports(%x: in f32[64, 64], %y: out f32[64]) axes(i < 64, j < 64) {
  %a = load %x[i, j] : f32
  %s = reduce add %a over [j] : f32
  store %s, %y[i] : f32
} schedule #zyxk.row<scope = cluster, threads = 256, cluster = 2>
