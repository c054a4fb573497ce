// Signs that Mesa's compiler of shaders loses: of an i32 that is widened and compared with a constant, and of a base
// whose power is chosen by the parity of the exponent. And of the remainder of the smallest number.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --validate | FileCheck %s
// CHECK: checked @widened on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @index on vulkan: {{.*}} all agree
// CHECK: checked @remainders on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @powers on vulkan: 1 size, 2 runs: all agree
zyxk.kernel @widened ports(%x: in i32[40], %y: out i64[40]) axes(i < 40) {
  %a = load %x[i] : i32
  %wide = arith.extsi %a : i32 to i64
  %one = arith.constant 1 : i64
  %is = arith.cmpi sge, %wide, %one : i64
  %r = arith.select %is, %one, %wide : i64
  store %r, %y[i] : i64
}
zyxk.kernel @index dims(N) ports(%x: in i64[3, N], %y: out i64[3, N]) axes(i < 3, j < N) {
  %n = index j
  %wide = arith.index_cast %n : index to i64
  %two = arith.constant 2 : i64
  %is = arith.cmpi slt, %wide, %two : i64
  %a = load %x[i, j] : i64
  %r = arith.select %is, %a, %wide : i64
  store %r, %y[i, j] : i64
}
zyxk.kernel @remainders ports(%x: in i8[340, 3], %y: out i8[3, 340]) axes(i < 340, j < 3) {
  %a = load %x[i, j] : i8
  %five = arith.constant 5 : i8
  %r = arith.remsi %a, %five : i8
  store %r, %y[j, i] : i8
}
zyxk.kernel @powers ports(%x, %y: in f32[34, 3], %z: out f32[3, 34]) axes(i < 34, j < 3) {
  %a = load %x[i, j] : f32
  %b = load %y[i, j] : f32
  %twelve = arith.constant 12.0 : f32
  %six = arith.constant 6.0 : f32
  %base = arith.mulf %a, %twelve : f32
  %b6 = arith.mulf %b, %six : f32
  %exponent = math.roundeven %b6 : f32
  %p = math.powf %base, %exponent : f32
  store %p, %z[j, i] : f32
}
