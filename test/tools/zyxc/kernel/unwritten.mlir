// Elements of out ports that no store reaches are told, after the summary; the answers agree, so nothing fails.
// RUN: zyxc kernel check %s --kernel half | FileCheck %s --check-prefix=HALF
// HALF: checked @half on host: {{.*}} all agree
// HALF-NEXT: note: @half never writes 17 of 34 elements of port 1 (%out1) at N=17
// HALF-NEXT: note: @half never writes 17 of 17 elements of port 2 (%out2) at N=17
// HALF-NOT: note
zyxk.kernel @half dims(N) ports(%x: in i8[N], %y: out i8[N * 2], %z: out f32[N]) axes(i < N) {
  %a = load %x[i] : i8
  store %a, %y[i * 2] : i8
}

// RUN: zyxc kernel check %s --kernel nothing --target sm_90a --simulate --sizes 2 | FileCheck %s --check-prefix=NOTHING
// NOTHING: checked @nothing on sm_90a
// NOTHING-NEXT: note: @nothing never writes 4 of 4 elements of port 1 (%out1){{$}}
zyxk.kernel @nothing ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
}

// At some sizes only.
// RUN: zyxc kernel check %s --kernel some --verbose | FileCheck %s --check-prefix=SOME
// SOME: note: @some never writes {{[1-9][0-9]*}} of {{[0-9]+}} elements of port 1 (%out1) at N={{[0-9]+}}
// RUN: zyxc kernel check %s --kernel some --dim N=16 | FileCheck %s --check-prefix=ALL
// ALL-NOT: note
zyxk.kernel @some dims(N) ports(%x: in i32[N], %y: out i32[N]) axes(i < N where i < 40) {
  %a = load %x[i] : i32
  store %a, %y[i] : i32
}

// Values that look like what was there before the run are written; stores that join read it.
// RUN: zyxc kernel check %s --kernel pattern | FileCheck %s --check-prefix=PATTERN
// PATTERN: checked @pattern
// PATTERN-NOT: note
zyxk.kernel @pattern dims(N) ports(%y: out i8[N], %z: out f32[N], %w: inout f32[N]) axes(i < N) {
  %a = arith.constant 165 : i8
  store %a, %y[i] : i8
  %b = arith.constant 0xFFFFFFFF : f32
  store %b, %z[i] : f32
}

// Of a program the last launch may leave some.
// RUN: zyxc kernel check %s --kernel both | FileCheck %s --check-prefix=BOTH
// BOTH: checked @both
// BOTH-NEXT: note: @both never writes {{.*}} of port 1 (%out1)
zyxk.program @both dims(N) ports(%x: in i32[N], %y: out i32[N + 1]) {
  launch @copy(%x, %y) dims(N = N)
}
zyxk.kernel @copy dims(N) ports(%x: in i32[N], %y: out i32[N + 1]) axes(i < N) {
  %a = load %x[i] : i32
  store %a, %y[i] : i32
}
