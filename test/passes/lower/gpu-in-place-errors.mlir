// One thread an element cannot reduce over the port that it stores to.
// RUN: not zyx-opt %s --zyxk-lower-gpu 2>&1 | FileCheck %s
// RUN: not zyx-opt %s --zyxk-lower-gpu=target=vulkan 2>&1 | FileCheck %s
// CHECK: its schedule gives each element a thread, which would reduce over what others have stored
zyxk.kernel @in_place ports(%x: inout f32[64, 64]) axes(i < 64, j < 64) {
  %a = load %x[i, j] : f32
  %s = reduce max %a over [i] : f32
  %d = arith.subf %a, %s : f32
  store %d, %x[i, j] : f32
} schedule #zyxk.map<vec = 1>
