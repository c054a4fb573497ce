// The simulator of NVIDIA GPUs runs libdevice's reduction of large arguments: a table, and memory of each thread.
// RUN: zyxc kernel check %s --target sm_80 --simulate | FileCheck %s
// CHECK: checked @large on sm_80: 1 size, 2 runs: all agree with the interpreter
zyxk.kernel @large ports(%x: in i32[40], %y: out f32[40]) axes(i < 40) {
  %a = load %x[i] : i32
  %b = arith.sitofp %a : i32 to f32
  %million = arith.constant 1000000.0 : f32
  %c = arith.mulf %b, %million : f32
  %d = math.cos %c : f32
  store %d, %y[i] : f32
}
