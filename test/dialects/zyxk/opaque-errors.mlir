// RUN: zyx-opt %s --split-input-file --verify-diagnostics

zyxk.kernel @beside ports(%x: in f32[8], %y: out f32[8], %i: out i64[8]) axes(n < 8) {
  %a = load %x[n] : f32
  // expected-error @below {{must be the only op of its kernel; a program puts it beside others}}
  opaque @sort(%x, %y, %i)
}

// -----

zyxk.kernel @with_axes ports(%x: in f32[8], %y: out f32[8], %i: out i64[8]) axes(n < 8) {
  // expected-error @below {{runs on whole ports: its kernel has no axes and no schedule}}
  opaque @sort(%x, %y, %i)
}

// -----

zyxk.kernel @some_ports ports(%x: in f32[8], %y: out f32[8], %i: out i64[8]) axes() {
  // expected-error @below {{takes 2 of the 3 ports of its kernel; it must take all}}
  opaque @sort(%x, %y)
}

// -----

zyxk.kernel @same_port ports(%x: in f32[8], %y: out f32[8]) axes() {
  // expected-error @below {{takes a port twice, as port 1 and before}}
  opaque @sort(%x, %x)
}

// -----

zyxk.kernel @laid_out ports(%x: in f32[8, 4] layout(i, j -> j * 8 + i)) axes() {
  // expected-error @below {{takes port 0 with a layout; routines know dense, row-major ports only}}
  opaque @library(%x)
}

// -----

zyxk.kernel @unknown_dim dims(N) ports(%x: in f32[N]) axes() {
  // expected-error @below {{unknown axis or dim 'M'}}
  opaque @library(%x) cost(M * 2)
}
