// Gathers by negative indices in 8, 16 and 32 bits: the simulator lost the sign of what is loaded into 64 bits.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90 --simulate | FileCheck %s
// CHECK-COUNT-3: all agree
zyxk.kernel @gather_by_i8 ports(%i: in i8[8], %x: in f32[12, 16], %y: out f32[8, 16])
    axes(r < 8, c < 16) {
  %0 = load %i[r] : i8
  %1 = arith.extsi %0 : i8 to i64
  %zero = arith.constant 0 : i64
  %rows = arith.constant 12 : i64
  %last = arith.constant 11 : i64
  %2 = arith.cmpi slt, %1, %zero : i64
  %3 = arith.addi %1, %rows : i64
  %4 = arith.select %2, %3, %1 : i64
  %5 = arith.maxsi %4, %zero : i64
  %6 = arith.minsi %5, %last : i64
  %7 = arith.index_cast %6 : i64 to index
  %8 = load %x[%7, c] oob clamp : f32
  store %8, %y[r, c] : f32
}
zyxk.kernel @gather_by_i16 ports(%i: in i16[8], %x: in f32[12, 16], %y: out f32[8, 16])
    axes(r < 8, c < 16) {
  %0 = load %i[r] : i16
  %1 = arith.extsi %0 : i16 to i64
  %zero = arith.constant 0 : i64
  %rows = arith.constant 12 : i64
  %last = arith.constant 11 : i64
  %2 = arith.cmpi slt, %1, %zero : i64
  %3 = arith.addi %1, %rows : i64
  %4 = arith.select %2, %3, %1 : i64
  %5 = arith.maxsi %4, %zero : i64
  %6 = arith.minsi %5, %last : i64
  %7 = arith.index_cast %6 : i64 to index
  %8 = load %x[%7, c] oob clamp : f32
  store %8, %y[r, c] : f32
}
zyxk.kernel @gather_by_i32 ports(%i: in i32[8], %x: in f32[12, 16], %y: out f32[8, 16])
    axes(r < 8, c < 16) {
  %0 = load %i[r] : i32
  %1 = arith.extsi %0 : i32 to i64
  %zero = arith.constant 0 : i64
  %rows = arith.constant 12 : i64
  %last = arith.constant 11 : i64
  %2 = arith.cmpi slt, %1, %zero : i64
  %3 = arith.addi %1, %rows : i64
  %4 = arith.select %2, %3, %1 : i64
  %5 = arith.maxsi %4, %zero : i64
  %6 = arith.minsi %5, %last : i64
  %7 = arith.index_cast %6 : i64 to index
  %8 = load %x[%7, c] oob clamp : f32
  store %8, %y[r, c] : f32
}
