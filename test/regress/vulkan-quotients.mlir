// Quotients that drivers get wrong: NVIDIA's (580.159) a signed one of 64 bits whose quotient is reduced by another
// constant; and all may miss the last place of an f32 by two.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --validate | FileCheck %s
// RUN: zyxc kernel emit %s --kernel index --target vulkan --emit spirv | FileCheck %s --check-prefix=SIGNED
// RUN: zyxc kernel emit %s --kernel float --target vulkan --emit spirv | FileCheck %s --check-prefix=FLOAT
// CHECK: checked @index on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @float on vulkan: 1 size, 2 runs: all agree
// SIGNED-NOT: SDiv
// FLOAT: FDiv
// FLOAT: GL.Fma
zyxk.kernel @index ports(%x: in i64[64], %y: out i64[64]) axes(i < 64) {
  %a = load %x[i] : i64
  %k36 = arith.constant 36 : i64
  %k5 = arith.constant 5 : i64
  %minus = arith.constant -3 : i64
  %d = arith.divsi %a, %k36 : i64
  %e = arith.remsi %d, %k5 : i64
  %f = arith.divsi %a, %minus : i64
  %r = arith.addi %e, %f : i64
  store %r, %y[i] : i64
}
zyxk.kernel @float ports(%x, %y: in f32[37, 5], %z: out f32[37, 5]) axes(i < 37, j < 5) {
  %a = load %x[i, j] : f32
  %b = load %y[i, j] : f32
  %q = arith.divf %a, %b : f32
  %r = math.floor %q : f32
  store %r, %z[i, j] : f32
}
