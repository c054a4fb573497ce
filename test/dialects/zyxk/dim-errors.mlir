// RUN: zyx-opt %s --split-input-file --verify-diagnostics

zyxk.kernel @axis_divisor ports(%x: in f32[16], %y: out f32[4]) axes(i < 4, j < 4) {
  // expected-error @below {{an expression divides by an axis}}
  %a = load %x[i floordiv j] : f32
}

// -----

zyxk.kernel @no_dim dims(N) ports(%y: out i64[N]) axes(i < N) {
  // expected-error @below {{names no dim: 'i'}}
  %a = dim i
}
