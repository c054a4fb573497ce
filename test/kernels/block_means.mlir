// Thirty ops with means of the whole tensor between them, in one launch: the block family.
// RUN: zyxc kernel check %s --sizes 24 | FileCheck %s
// CHECK: checked @block_means on host: {{.*}} all agree
zyxk.kernel @block_means dims(M, N) ports(%x: in f32[M, N], %y: out f32[M, N]) axes(i < M, j < N)
    assume(M >= 1 and N >= 1) {
  %x0 = load %x[i, j] : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %count = reduce add %one over [i, j] : f32
  %t0s = reduce add %x0 over [i, j] : f32
  %t0m = arith.divf %t0s, %count : f32
  %t0d = arith.subf %x0, %t0m : f32
  %t0a = arith.mulf %t0d, %half : f32
  %t0t = math.tanh %t0a : f32
  %t0b = arith.mulf %t0t, %t0d : f32
  %t0c = arith.addf %t0b, %x0 : f32
  %t1s = reduce add %t0c over [i, j] : f32
  %t1m = arith.divf %t1s, %count : f32
  %t1d = arith.subf %t0c, %t1m : f32
  %t1a = arith.mulf %t1d, %half : f32
  %t1t = math.tanh %t1a : f32
  %t1b = arith.mulf %t1t, %t1d : f32
  %t1c = arith.addf %t1b, %t0c : f32
  %t2s = reduce add %t1c over [i, j] : f32
  %t2m = arith.divf %t2s, %count : f32
  %t2d = arith.subf %t1c, %t2m : f32
  %t2a = arith.mulf %t2d, %half : f32
  %t2t = math.tanh %t2a : f32
  %t2b = arith.mulf %t2t, %t2d : f32
  %t2c = arith.addf %t2b, %t1c : f32
  %t3s = reduce add %t2c over [i, j] : f32
  %t3m = arith.divf %t3s, %count : f32
  %t3d = arith.subf %t2c, %t3m : f32
  %t3a = arith.mulf %t3d, %half : f32
  %t3t = math.tanh %t3a : f32
  %t3b = arith.mulf %t3t, %t3d : f32
  %t3c = arith.addf %t3b, %t2c : f32
  store %t3c, %y[i, j] : f32
}
