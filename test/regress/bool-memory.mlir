// Values of i1 in memory: rows of scans, parts of reductions, exchanges of a team. They are bytes there.
// RUN: zyxc kernel check %s --sizes 12 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --target host-scalar | FileCheck %s
// RUN: zyxc kernel check %s --sizes 12 --work 1e7 --target sm_90a --simulate | FileCheck %s
// CHECK-COUNT-4: all agree
// One reduction over many rows is not cut: no port has such elements.
// RUN: zyxc kernel check %s --kernel colbool --dim R=20000,N=33 | FileCheck %s --check-prefix=LONG
// RUN: zyxc kernel check %s --kernel colbool --dim R=20000,N=33 --target sm_90a --simulate | FileCheck %s --check-prefix=LONG
// LONG: all agree
zyxk.kernel @scand dims(R, N) ports(%x: in f32[R, N], %y: out i8[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %c = arith.constant 0.5 : f32
  %p = arith.cmpf olt, %a, %c : f32
  %s = scan and %p along n : i1
  %t = arith.extui %s : i1 to i8
  store %t, %y[r, n] : i8
}
zyxk.kernel @scor dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %c = arith.constant 0.9 : f32
  %z = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %a, %c : f32
  %s = scan or %p along n : i1
  %t = arith.select %s, %a, %z : f32
  store %t, %y[r, n] : f32
}
zyxk.kernel @sc11 dims(R, N) ports(%x: in i8[R, N], %y: out i8[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : i8
  %c = arith.constant 0 : i8
  %p = arith.cmpi sgt, %a, %c : i8
  %s = scan and %p along n : i1
  %t = arith.extui %s : i1 to i8
  store %t, %y[r, n] : i8
}
zyxk.kernel @colbool dims(R, N) ports(%x: in f32[R, N], %y: out i8[N]) axes(r < R, n < N) {
  %v = load %x[r, n] : f32
  %c = arith.constant 0.9 : f32
  %p = arith.cmpf olt, %v, %c : f32
  %i = reduce and %p over [r] : i1
  %o = arith.extui %i : i1 to i8
  store %o, %y[n] : i8
}
