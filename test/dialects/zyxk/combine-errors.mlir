// RUN: zyx-opt %s --split-input-file --verify-diagnostics

zyxk.kernel @free_axis ports(%x: in f32[8], %y: out f32[8]) axes(i < 8, j < 8 where j <= i) {
  %a = load %x[j] : f32
  // expected-error @below {{runs along axis 'j', which the domain restricts by axis 'i', but its operands do not depend on that}}
  %s = reduce add %a over [j] : f32
}

// -----

zyxk.kernel @free_bound ports(%x: in f32[8], %y: out f32[8]) axes(i < 8, j < i + 1) {
  %a = load %x[j] : f32
  // expected-error @below {{runs along axis 'j', whose bound depends on axis 'i', but its operands do not depend on that}}
  %s = scan add %a along j : f32
}

// -----

zyxk.kernel @outer_first ports(%x: in f32[8, 8], %y: out f32[8]) axes(i < 8, j < i + 1) {
  %a = load %x[i, j] : f32
  // expected-error @below {{combines over axis 'i', on which the bound of axis 'j' of its result depends}}
  %s = reduce add %a over [i] : f32
}

// -----

zyxk.kernel @stored_bound ports(%x: in f32[8], %y: out f32[8]) axes(i < 8, j < i + 1) {
  %a = load %x[j] : f32
  // expected-error @below {{runs along axis 'j', whose bound depends on axis 'i', which it does not use}}
  store %a, %y[j] : f32
}

// -----

zyxk.kernel @narrow ports(%x: in f16[8], %y: out f16[1]) axes(i < 8) {
  %a = load %x[i] : f16
  // expected-error @below {{computes in f32 or f64, not 'f16'; extend the value first}}
  %m, %l = expsum %a over [i] weights(unit) : f16
}

// -----

zyxk.kernel @weight ports(%x: in f32[8], %w: in f64[8]) axes(i < 8) {
  %a = load %x[i] : f32
  %b = load %w[i] : f64
  // expected-error @below {{sums in 'f32', which does not hold a weight of type 'f64'}}
  %m, %l = expsum %a over [i] weights(%b : f64) : f32
}

// -----

zyxk.kernel @no_weight ports(%x: in f32[8]) axes(i < 8) {
  %a = load %x[i] : f32
  // expected-error @below {{gives the maximum and one sum per weight, of which it has 0}}
  %m = expsum %a over [i] weights() : f32
}

// -----

zyxk.kernel @value_axes ports(%x: in f32[8], %w: in f32[8]) axes(i < 8, j < 8) {
  %a = load %x[i] : f32
  %b = load %w[j] : f32
  // expected-error @below {{runs over axis 'j', which its value does not use}}
  %m, %l = expsum %a over [j] weights(%b : f32) : f32
}

// -----

zyxk.kernel @arg_scan ports(%x: in f32[8]) axes(i < 8) {
  %a = load %x[i] : f32
  // expected-error @below {{cannot run by argmax}}
  %m = scan argmax %a along i : f32
}

// -----

zyxk.kernel @function ports(%x: in f32[8]) axes(i < 8) {
  %a = load %x[i] : f32
  // expected-error @below {{calls 'gelu_cubic', which is no scalar function; known are gelu, gelu_tanh, hard_swish, mish, relu, sigmoid, silu, softplus, softsign and the float ops of zyx}}
  %m = scalar @gelu_cubic(%a) : f32
}

// -----

zyxk.kernel @arity ports(%x: in f32[8]) axes(i < 8) {
  %a = load %x[i] : f32
  // expected-error @below {{gives 2 operands to 'relu', which takes 1}}
  %m = scalar @relu(%a, %a) : f32
}

// -----

zyxk.kernel @no_float ports(%x: in i32[8]) axes(i < 8) {
  %a = load %x[i] : i32
  // expected-error @below {{needs operands and a result of one float type}}
  %m = scalar @relu(%a) : i32
}

// -----

// Points run in any order.
zyxk.kernel @reversed ports(%x: inout f32[8]) axes(i < 8) {
  // expected-error @below {{may read what another point of the kernel stores to this port: give both the same coordinates and no combine, or load in an earlier kernel}}
  %a = load %x[7 - i] : f32
  // expected-note @below {{stored here}}
  store %a, %x[i] : f32
}

// -----

zyxk.kernel @joined ports(%x: inout f32[8]) axes(i < 16) {
  // expected-error @below {{may read what another point of the kernel stores to this port}}
  %a = load %x[i floordiv 2] : f32
  // expected-note @below {{stored here}}
  store %a, %x[i floordiv 2] combine add : f32
}
