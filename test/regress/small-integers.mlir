// 8-bit and 16-bit integers: the simulator computed pairs of them by halves and lost the signs of bytes.
// RUN: zyxc kernel check %s --sizes 10 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 10 --target sm_90a --simulate | FileCheck %s
// CHECK-COUNT-7: all agree
zyxk.kernel @am8 dims(N) ports(%x: in i8[N], %y: out i64[1]) axes(o < 1, n < N) {
  %v = load %x[n + o * 0] : i8
  %i = reduce argmax %v over [n] : i8 -> i64
  store %i, %y[0] : i64
}
zyxk.kernel @am8l dims(N) ports(%x: in i8[N], %y: out i64[1]) axes(n < N) {
  %v = load %x[n] : i8
  %i = reduce argmin %v over [n] last : i8 -> i64
  store %i, %y[0] : i64
}
zyxk.kernel @umin8 dims(N) ports(%x: in i8[N], %y: out i8[1]) axes(n < N) {
  %v = load %x[n] : i8
  %i = reduce umin %v over [n] : i8
  store %i, %y[0] : i8
}
zyxk.kernel @umax8 dims(N) ports(%x: in i8[N], %y: out i8[1]) axes(n < N) {
  %v = load %x[n] : i8
  %i = reduce umax %v over [n] : i8
  store %i, %y[0] : i8
}
zyxk.kernel @min8 dims(N) ports(%x: in i8[N], %y: out i8[1]) axes(n < N) {
  %v = load %x[n] : i8
  %i = reduce min %v over [n] : i8
  store %i, %y[0] : i8
}
zyxk.kernel @umin16 dims(N) ports(%x: in i16[N], %y: out i16[1]) axes(n < N) {
  %v = load %x[n] : i16
  %i = reduce umin %v over [n] : i16
  store %i, %y[0] : i16
}
zyxk.kernel @max16 dims(N) ports(%x: in i16[N], %y: out i16[1]) axes(n < N) {
  %v = load %x[n] : i16
  %i = reduce max %v over [n] : i16
  store %i, %y[0] : i16
}
