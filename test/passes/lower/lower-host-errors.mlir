// RUN: zyx-opt %s --split-input-file --zyxk-lower-host --verify-diagnostics

// expected-error @below {{cannot be lowered: its dims must be bound to sizes first}}
zyxk.kernel @symbolic dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
}

// -----

// expected-error @below {{its schedule is of another family than its body}}
zyxk.kernel @family ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
} schedule #zyxk.contract<mr = 4>
