// Infinities, NaN, -0.0, the smallest denormal and the largest number as constants of code: the same bits everywhere.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90 --simulate | FileCheck %s
// CHECK-COUNT-4: all agree
zyxk.kernel @special_f16_numbers ports(%x: out f16[6]) axes(i < 6) {
  %v0 = arith.constant 0x7C00 : f16
  %c1 = arith.constant 0xFC00 : f16
  %v1 = where %c1 if (i == 1) else %v0 : f16
  %c2 = arith.constant 0x7E00 : f16
  %v2 = where %c2 if (i == 2) else %v1 : f16
  %c3 = arith.constant 0x8000 : f16
  %v3 = where %c3 if (i == 3) else %v2 : f16
  %c4 = arith.constant 0x0001 : f16
  %v4 = where %c4 if (i == 4) else %v3 : f16
  %c5 = arith.constant 0x7BFF : f16
  %v5 = where %c5 if (i == 5) else %v4 : f16
  store %v5, %x[i] : f16
}
zyxk.kernel @special_f16_bits ports(%x: in f16[6], %y: out i16[6]) axes(i < 6) {
  %v = load %x[i] : f16
  %b = arith.bitcast %v : f16 to i16
  store %b, %y[i] : i16
}
zyxk.program @special_f16 ports(%y: out i16[6], %x: scratch f16[6]) {
  launch @special_f16_numbers(%x)
  launch @special_f16_bits(%x, %y)
}
zyxk.kernel @special_bf16_numbers ports(%x: out bf16[6]) axes(i < 6) {
  %v0 = arith.constant 0x7F80 : bf16
  %c1 = arith.constant 0xFF80 : bf16
  %v1 = where %c1 if (i == 1) else %v0 : bf16
  %c2 = arith.constant 0x7FC0 : bf16
  %v2 = where %c2 if (i == 2) else %v1 : bf16
  %c3 = arith.constant 0x8000 : bf16
  %v3 = where %c3 if (i == 3) else %v2 : bf16
  %c4 = arith.constant 0x0001 : bf16
  %v4 = where %c4 if (i == 4) else %v3 : bf16
  %c5 = arith.constant 0x7F7F : bf16
  %v5 = where %c5 if (i == 5) else %v4 : bf16
  store %v5, %x[i] : bf16
}
zyxk.kernel @special_bf16_bits ports(%x: in bf16[6], %y: out i16[6]) axes(i < 6) {
  %v = load %x[i] : bf16
  %b = arith.bitcast %v : bf16 to i16
  store %b, %y[i] : i16
}
zyxk.program @special_bf16 ports(%y: out i16[6], %x: scratch bf16[6]) {
  launch @special_bf16_numbers(%x)
  launch @special_bf16_bits(%x, %y)
}
zyxk.kernel @special_f32_numbers ports(%x: out f32[6]) axes(i < 6) {
  %v0 = arith.constant 0x7F800000 : f32
  %c1 = arith.constant 0xFF800000 : f32
  %v1 = where %c1 if (i == 1) else %v0 : f32
  %c2 = arith.constant 0x7FC00000 : f32
  %v2 = where %c2 if (i == 2) else %v1 : f32
  %c3 = arith.constant 0x80000000 : f32
  %v3 = where %c3 if (i == 3) else %v2 : f32
  %c4 = arith.constant 0x00000001 : f32
  %v4 = where %c4 if (i == 4) else %v3 : f32
  %c5 = arith.constant 0x7F7FFFFF : f32
  %v5 = where %c5 if (i == 5) else %v4 : f32
  store %v5, %x[i] : f32
}
zyxk.kernel @special_f32_bits ports(%x: in f32[6], %y: out i32[6]) axes(i < 6) {
  %v = load %x[i] : f32
  %b = arith.bitcast %v : f32 to i32
  store %b, %y[i] : i32
}
zyxk.program @special_f32 ports(%y: out i32[6], %x: scratch f32[6]) {
  launch @special_f32_numbers(%x)
  launch @special_f32_bits(%x, %y)
}
zyxk.kernel @special_f64_numbers ports(%x: out f64[6]) axes(i < 6) {
  %v0 = arith.constant 0x7FF0000000000000 : f64
  %c1 = arith.constant 0xFFF0000000000000 : f64
  %v1 = where %c1 if (i == 1) else %v0 : f64
  %c2 = arith.constant 0x7FF8000000000000 : f64
  %v2 = where %c2 if (i == 2) else %v1 : f64
  %c3 = arith.constant 0x8000000000000000 : f64
  %v3 = where %c3 if (i == 3) else %v2 : f64
  %c4 = arith.constant 0x0000000000000001 : f64
  %v4 = where %c4 if (i == 4) else %v3 : f64
  %c5 = arith.constant 0x7FEFFFFFFFFFFFFF : f64
  %v5 = where %c5 if (i == 5) else %v4 : f64
  store %v5, %x[i] : f64
}
zyxk.kernel @special_f64_bits ports(%x: in f64[6], %y: out i64[6]) axes(i < 6) {
  %v = load %x[i] : f64
  %b = arith.bitcast %v : f64 to i64
  store %b, %y[i] : i64
}
zyxk.program @special_f64 ports(%y: out i64[6], %x: scratch f64[6]) {
  launch @special_f64_numbers(%x)
  launch @special_f64_bits(%x, %y)
}
