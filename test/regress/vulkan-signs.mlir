// Signs that Mesa's compiler of shaders loses: of an i32 that is widened and compared with a constant, and of a base
// whose power is chosen by the parity of the exponent.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --validate | FileCheck %s
// CHECK: checked @widened on vulkan: 1 size, 2 runs: all agree
// CHECK: checked @index on vulkan: {{.*}} all agree
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
zyxk.kernel @powers ports(%x, %y: in i32[34, 3], %z: out f32[3, 34]) axes(i < 34, j < 3) {
  %a = load %x[i, j] : i32
  %b = load %y[i, j] : i32
  %twelve = arith.constant 12 : i32
  %six = arith.constant 6 : i32
  %small = arith.remsi %a, %twelve : i32
  %smaller = arith.remsi %b, %six : i32
  %base = arith.sitofp %small : i32 to f32
  %exponent = arith.sitofp %smaller : i32 to f32
  %p = math.powf %base, %exponent : f32
  store %p, %z[j, i] : f32
}
