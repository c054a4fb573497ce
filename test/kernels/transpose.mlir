// A transpose is a load map.
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s
// CHECK: func.func @transpose
zyxk.kernel @transpose ports(%x: in f32[128, 96], %y: out f32[96, 128]) axes(i < 96, j < 128) {
  %a = load %x[j, i] : f32
  store %a, %y[i, j] : f32
}
