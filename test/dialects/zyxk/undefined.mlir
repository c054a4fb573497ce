// Operations that have no result, kernels that do nothing, coordinates and conditions beyond 64 bits.
// RUN: zyx-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has no ports: nothing would be left of it}}
zyxk.kernel @nothing ports() axes(i < 4) {
}

// -----

zyxk.kernel @zero ports(%x: in i32[4], %y: out i32[4]) axes(i < 4) {
  %zero = arith.constant 0 : i32
  %a = load %x[i] : i32
  // expected-error @below {{divides by zero}}
  %b = arith.remsi %a, %zero : i32
  store %b, %y[i] : i32
}

// -----

zyxk.kernel @shift ports(%x: in i32[4], %y: out i32[4]) axes(i < 4) {
  %many = arith.constant 32 : i32
  %a = load %x[i] : i32
  // expected-error @below {{shifts by 32 bits a number of 32}}
  %b = arith.shrui %a, %many : i32
  store %b, %y[i] : i32
}

// -----

zyxk.kernel @coordinate ports(%x: in f32[4], %y: out f32[64]) axes(i < 64) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{coordinate 0 leaves 64 bits}}
  %a = load %x[i * 1152921504606846976] oob else(%zero) : f32
  store %a, %y[i] : f32
}

// -----

zyxk.kernel @address ports(%x: in f32[4, 65536], %y: out f32[4, 65536]) axes(i < 4, j < 65536) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{the address that its coordinates give leaves 64 bits}}
  %a = load %x[i * 1152921504606846976, j] oob else(%zero) : f32
  store %a, %y[i, j] : f32
}

// -----

zyxk.kernel @condition ports(%x: in f32[64], %y: out f32[64]) axes(i < 64) {
  %zero = arith.constant 0.0 : f32
  %a = load %x[i] : f32
  // expected-error @below {{a condition on its axes leaves 64 bits}}
  %b = where %a if (i * 1152921504606846976 >= 5) else %zero : f32
  store %b, %y[i] : f32
}

// -----

// expected-error @below {{a condition on its axes leaves 64 bits}}
zyxk.kernel @domain ports(%x: in f32[64], %y: out f32[64])
    axes(i < 64 where i * 1152921504606846976 <= 5) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
}
