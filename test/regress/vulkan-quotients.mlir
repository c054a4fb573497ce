// Quotients that drivers get wrong: NVIDIA's (580.159) x / 7 beside x % 7 of 64 bits, with or without sign; and all may
// miss the last place of an f32 by two.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --validate | FileCheck %s
// RUN: zyxc kernel emit %s --kernel index --target vulkan --emit spirv | FileCheck %s --check-prefix=HIDDEN
// RUN: zyxc kernel emit %s --kernel clamped --target vulkan --emit spirv | FileCheck %s --check-prefix=NARROW
// RUN: zyxc kernel emit %s --kernel float --target vulkan --emit spirv | FileCheck %s --check-prefix=FLOAT
// CHECK: checked @index on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @clamped on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @float on vulkan: 1 size, 2 runs: all agree

// What may be any number is divided by what nobody knows to be constant, without a sign.
// HIDDEN: NumWorkgroups
// HIDDEN-NOT: SDiv
// HIDDEN-NOT: UDiv {{.*}}%cst
// HIDDEN: UDiv {{.*}} : i64
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
// What is clamped fits 32 bits.
// NARROW-NOT: Div {{.*}} : i64
// NARROW: UDiv {{.*}} : i32
// NARROW-NOT: Div {{.*}} : i64
zyxk.kernel @clamped ports(%x: in i64[42], %t: in i64[3, 14, 5], %y: out i64[42]) axes(i < 42) {
  %a = load %x[i] : i64
  %z = arith.constant 0 : i64
  %k = arith.constant 209 : i64
  %b = arith.maxsi %a, %z : i64
  %c = arith.minsi %b, %k : i64
  %n = arith.index_cast %c : i64 to index
  %r = load %t[%n floordiv 70, ((%n floordiv 7) mod 2) * 7 + %n mod 7, (%n floordiv 14) mod 5] oob clamp : i64
  store %r, %y[i] : i64
}

// FLOAT: FDiv
// FLOAT: GL.Fma
zyxk.kernel @float ports(%x, %y: in f32[37, 5], %z: out f32[37, 5]) axes(i < 37, j < 5) {
  %a = load %x[i, j] : f32
  %b = load %y[i, j] : f32
  %q = arith.divf %a, %b : f32
  %r = math.floor %q : f32
  store %r, %z[i, j] : f32
}
