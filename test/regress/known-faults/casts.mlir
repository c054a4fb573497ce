// Casts of numbers that the integers do not have: host and GPUs agree with the interpreter.
// test/models/known_faults_test.py has the values. Kernels read the numbers from memory, so that nothing folds them.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90 --simulate | FileCheck %s
// CHECK: all agree
zyxk.kernel @cast_numbers ports(%x: out f32[6]) axes(i < 6) {
  %v0 = arith.constant -3.0 : f32
  %c1 = arith.constant 300.0 : f32
  %v1 = where %c1 if (i == 1) else %v0 : f32
  %c2 = arith.constant 0x7FC00000 : f32
  %v2 = where %c2 if (i == 2) else %v1 : f32
  %c3 = arith.constant 0x7F800000 : f32
  %v3 = where %c3 if (i == 3) else %v2 : f32
  %c4 = arith.constant 0xFF800000 : f32
  %v4 = where %c4 if (i == 4) else %v3 : f32
  %c5 = arith.constant -1.0e30 : f32
  %v5 = where %c5 if (i == 5) else %v4 : f32
  store %v5, %x[i] : f32
}
zyxk.kernel @cast_to_u32 ports(%x: in f32[6], %y: out i32[6]) axes(i0 < 6) {
  %0 = load %x[i0] : f32
  %cst = arith.constant 4.2949673E+9 : f32
  %1 = arith.cmpf oge, %0, %cst : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %2 = arith.cmpf ole, %0, %cst_0 : f32
  %3 = arith.cmpf uno, %0, %0 : f32
  %4 = arith.ori %1, %2 : i1
  %5 = arith.ori %4, %3 : i1
  %cst_1 = arith.constant 0.000000e+00 : f32
  %6 = arith.select %5, %cst_1, %0 : f32
  %7 = arith.fptoui %6 : f32 to i32
  %c-1_i32 = arith.constant -1 : i32
  %8 = arith.select %1, %c-1_i32, %7 : i32
  %c0_i32 = arith.constant 0 : i32
  %9 = arith.select %2, %c0_i32, %8 : i32
  store %9, %y[i0] : i32
}
zyxk.kernel @cast_to_u8 ports(%x: in f32[6], %y: out i8[6]) axes(i0 < 6) {
  %0 = load %x[i0] : f32
  %cst = arith.constant 2.560000e+02 : f32
  %1 = arith.cmpf oge, %0, %cst : f32
  %cst_0 = arith.constant 0.000000e+00 : f32
  %2 = arith.cmpf ole, %0, %cst_0 : f32
  %3 = arith.cmpf uno, %0, %0 : f32
  %4 = arith.ori %1, %2 : i1
  %5 = arith.ori %4, %3 : i1
  %cst_1 = arith.constant 0.000000e+00 : f32
  %6 = arith.select %5, %cst_1, %0 : f32
  %7 = arith.fptosi %6 : f32 to i32
  %8 = arith.trunci %7 : i32 to i8
  %c-1_i8 = arith.constant -1 : i8
  %9 = arith.select %1, %c-1_i8, %8 : i8
  %c0_i8 = arith.constant 0 : i8
  %10 = arith.select %2, %c0_i8, %9 : i8
  store %10, %y[i0] : i8
}
zyxk.kernel @cast_to_i32 ports(%x: in f32[6], %y: out i32[6]) axes(i0 < 6) {
  %0 = load %x[i0] : f32
  %cst = arith.constant 2.14748365E+9 : f32
  %1 = arith.cmpf oge, %0, %cst : f32
  %cst_0 = arith.constant -2.14748365E+9 : f32
  %2 = arith.cmpf olt, %0, %cst_0 : f32
  %3 = arith.cmpf uno, %0, %0 : f32
  %4 = arith.ori %1, %2 : i1
  %5 = arith.ori %4, %3 : i1
  %cst_1 = arith.constant 0.000000e+00 : f32
  %6 = arith.select %5, %cst_1, %0 : f32
  %7 = arith.fptosi %6 : f32 to i32
  %c2147483647_i32 = arith.constant 2147483647 : i32
  %8 = arith.select %1, %c2147483647_i32, %7 : i32
  %c-2147483648_i32 = arith.constant -2147483648 : i32
  %9 = arith.select %2, %c-2147483648_i32, %8 : i32
  store %9, %y[i0] : i32
}
zyxk.kernel @cast_to_i64 ports(%x: in f32[6], %y: out i64[6]) axes(i0 < 6) {
  %0 = load %x[i0] : f32
  %cst = arith.constant 9.22337203E+18 : f32
  %1 = arith.cmpf oge, %0, %cst : f32
  %cst_0 = arith.constant -9.22337203E+18 : f32
  %2 = arith.cmpf olt, %0, %cst_0 : f32
  %3 = arith.cmpf uno, %0, %0 : f32
  %4 = arith.ori %1, %2 : i1
  %5 = arith.ori %4, %3 : i1
  %cst_1 = arith.constant 0.000000e+00 : f32
  %6 = arith.select %5, %cst_1, %0 : f32
  %7 = arith.fptosi %6 : f32 to i64
  %c9223372036854775807_i64 = arith.constant 9223372036854775807 : i64
  %8 = arith.select %1, %c9223372036854775807_i64, %7 : i64
  %c-9223372036854775808_i64 = arith.constant -9223372036854775808 : i64
  %9 = arith.select %2, %c-9223372036854775808_i64, %8 : i64
  store %9, %y[i0] : i64
}
zyxk.program @cast ports(%a: out i32[6], %b: out i8[6], %c: out i32[6], %d: out i64[6], %x: scratch f32[6]) {
  launch @cast_numbers(%x)
  launch @cast_to_u32(%x, %a)
  launch @cast_to_u8(%x, %b)
  launch @cast_to_i32(%x, %c)
  launch @cast_to_i64(%x, %d)
}
