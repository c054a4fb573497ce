// Quotients that drivers get wrong: NVIDIA's (580.159) x / 7 beside x % 7 of 64 bits, with or without sign; and all may
// miss the last place of an f32 by two.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --validate | FileCheck %s
// RUN: zyxc kernel emit %s --kernel index --target vulkan --emit spirv | FileCheck %s --check-prefix=PRODUCT
// RUN: zyxc kernel emit %s --kernel clamped --target vulkan --emit spirv | FileCheck %s --check-prefix=NARROW
// RUN: zyxc kernel emit %s --kernel float --target vulkan --emit spirv | FileCheck %s --check-prefix=FLOAT
// CHECK: checked @index on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @divisors on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @clamped on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @float on vulkan: 1 size, 2 runs: all agree

// What may be any number is divided by products with reciprocals.
// PRODUCT-NOT: Div
// PRODUCT: IMul {{.*}} : i64
// PRODUCT-NOT: Div
zyxk.kernel @index ports(%x: in i64[64], %y: out i64[64]) axes(i < 64) {
  %a = load %x[i] : i64
  %k36 = arith.constant 36 : i64
  %k5 = arith.constant 5 : i64
  %minus = arith.constant -3 : i64
  %d = arith.divsi %a, %k36 : i64
  %e = arith.remsi %d, %k5 : i64
  %f = arith.divsi %a, %minus : i64
  %seven = arith.constant 7 : i64
  %d7 = arith.divsi %a, %seven : i64
  %r7 = arith.remsi %a, %seven : i64
  %u7 = arith.divui %a, %seven : i64
  %m7 = arith.remui %a, %seven : i64
  %large = arith.constant -7046029254386353131 : i64
  %far = arith.muli %a, %large : i64
  %k641 = arith.constant 641 : i64
  %u641 = arith.divui %far, %k641 : i64
  %thousand = arith.constant 1000 : i64
  %u1000 = arith.remui %far, %thousand : i64
  %s0 = arith.addi %e, %f : i64
  %s1 = arith.muli %d7, %thousand : i64
  %s2 = arith.addi %s1, %r7 : i64
  %s3 = arith.muli %u7, %k641 : i64
  %s4 = arith.addi %s3, %m7 : i64
  %s5 = arith.xori %u641, %u1000 : i64
  %s6 = arith.xori %s0, %s2 : i64
  %s7 = arith.xori %s4, %s5 : i64
  %r = arith.xori %s6, %s7 : i64
  store %r, %y[i] : i64
}
zyxk.kernel @divisors ports(%x: in i64[42], %k: in i64[42], %y: out i64[42]) axes(i < 42) {
  %a = load %x[i] : i64
  %b = load %k[i] : i64
  %fifteen = arith.constant 15 : i64
  %one = arith.constant 1 : i64
  %c = arith.andi %b, %fifteen : i64
  %d = arith.addi %c, %one : i64
  %q = arith.divui %a, %d : i64
  %m = arith.remui %a, %d : i64
  %s = arith.muli %m, %fifteen : i64
  %r = arith.addi %s, %q : i64
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
