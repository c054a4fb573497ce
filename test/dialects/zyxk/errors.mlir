// RUN: zyx-opt %s --split-input-file --verify-diagnostics

zyxk.kernel @unknown_axis ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  // expected-error @below {{unknown axis or dim 'k'}}
  %a = load %x[k] : f32
  store %a, %y[i] : f32
}

// -----

zyxk.kernel @unknown_reduced_axis ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  %a = load %x[i] : f32
  // expected-error @below {{names no axis: 'k'}}
  %s = reduce add %a over [k] : f32
}

// -----

// expected-error @below {{'i' is declared twice}}
zyxk.kernel @twice dims(i) ports(%x: in f32[4]) axes(i < 4) {
}

// -----

zyxk.kernel @misses_axis ports(%x: in f32[4, 5], %y: out f32[4]) axes(i < 4, j < 5) {
  %a = load %x[i, j] : f32
  // expected-error @below {{does not use axis 'j', on which its value depends}}
  store %a, %y[i] : f32
}

// -----

zyxk.kernel @wrong_mode ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  // expected-error @below {{reads an out port}}
  %a = load %y[i] : f32
}

// -----

zyxk.kernel @wrong_store ports(%x: in f32[4]) axes(i < 4) {
  %a = load %x[i] : f32
  // expected-error @below {{writes an in port}}
  store %a, %x[i] : f32
}

// -----

zyxk.kernel @coordinates ports(%x: in f32[4, 4], %y: out f32[4]) axes(i < 4) {
  // expected-error @below {{has 1 coordinates, but the port has 2 axes}}
  %a = load %x[i] : f32
}

// -----

zyxk.kernel @outside ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  // expected-error @below {{coordinate 0 runs from 1 to 4, but the port has 4 elements there; guard the value by a where}}
  %a = load %x[i + 1] : f32
  store %a, %y[i] : f32
}

// -----

zyxk.kernel @element_type ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  // expected-error @below {{has type 'f16', but the port holds 'f32'}}
  %a = load %x[i] : f16
}

// -----

zyxk.kernel @products ports(%x: in f32[16], %y: out f32[4]) axes(i < 4, j < 4) {
  // expected-error @below {{an expression multiplies two axes}}
  %a = load %x[i * j] : f32
}

// -----

zyxk.kernel @divisor ports(%x: in f32[16], %y: out f32[4]) axes(i < 4, j < 4) {
  // expected-error @below {{floordiv and mod need a positive constant or dims on the right}}
  %a = load %x[i floordiv 0] : f32
}

// -----

zyxk.kernel @arg ports(%x: in f32[16], %y: out f32[4]) axes(i < 4, j < 4) {
  %a = load %x[i * 4 + j] : f32
  // expected-error @below {{gives the i64 position along exactly one axis}}
  %m = reduce argmax %a over [i, j] : f32 -> i64
}

// -----

zyxk.kernel @contract ports(%x: in f32[4], %y: out f32[4]) axes(i < 4, j < 4) {
  %a = load %x[i] : f32
  // expected-error @below {{sums over axis 'j', which neither operand uses}}
  %m = contract %a, %a over [j] : f32, f32 -> f32
}

// -----

zyxk.kernel @field ports(%x: in f32[4]) axes(i < 4) {
// expected-error @below {{unknown schedule field 'tiles'}}
} schedule #zyxk.map<tiles = 4>

// -----

zyxk.kernel @lanes ports(%x: in f32[4]) axes(i < 4) {
// expected-error @below {{schedule field 'vec' is a power of two up to 64, not 12}}
} schedule #zyxk.row<vec = 12>

// -----

zyxk.kernel @integers ports(%x: in f32[4]) axes(i < 4) {
// expected-error @below {{schedule field 'cta' has 3 integers, not 2}}
} schedule #zyxk.mma<cta = [64, 64]>

// -----

zyxk.kernel @units ports(%x: in f32[4]) axes(i < 4) {
// expected-error @below {{unit = wgmma counts 'warpgroups', not 'warps'}}
} schedule #zyxk.mma<unit = wgmma, warps = [4, 1]>

// -----

// expected-error @below {{a port holds signless i8 to i64, f16, bf16, f32 or f64, not 'ui8'}}
zyxk.kernel @signs ports(%x: in ui8[4]) axes(i < 4) {
}

// -----

// expected-error @below {{a port of this shape is too large or has a negative size}}
zyxk.kernel @large ports(%x: in f32[1099511627776, 1099511627776]) axes(i < 4) {
}

// -----

zyxk.kernel @foreign ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  // expected-error @below {{cannot stand in a kernel}}
  %a = arith.constant dense<0.0> : vector<4xf32>
}

// -----

// expected-error @+1 {{has a name with other characters than letters, digits, '_', '.' and '$'}}
zyxk.kernel @"a/b" ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
}
