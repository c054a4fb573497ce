// RUN: zyx-opt %s --split-input-file --zyxk-lower-host --verify-diagnostics

// expected-error @below {{its schedule needs dims with sizes; bind them, or leave it out}}
zyxk.kernel @symbolic dims(N) ports(%x: in f32[N], %y: out f32[N]) axes(i < N) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
} schedule #zyxk.move<>

// -----

// expected-error @below {{cannot be lowered: the bound of axis 'j' has no known largest value}}
zyxk.kernel @triangle dims(N, M) ports(%x: in f32[N], %y: out f32[N]) axes(i < N, j < i * (N - M)) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
}

// -----

zyxk.kernel @prefixes dims(R, N) ports(%x: in f32[R, N], %y: out f32[R]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n : f32
  // expected-error @below {{cannot be lowered: it combines prefixes along an axis without a size, which are not kept}}
  %m = reduce max %s over [n] : f32
  store %m, %y[r] : f32
}

// -----

zyxk.kernel @directions dims(R, N) ports(%x: in f32[R, N], %y: out f32[R, N]) axes(r < R, n < N) {
  %a = load %x[r, n] : f32
  %s = scan add %a along n : f32
  // expected-error @below {{cannot be lowered: scans along axes without a size, or in several directions, need a kernel each}}
  %t = scan add %s along n reverse : f32
  store %t, %y[r, n] : f32
}

// -----

// expected-error @below {{its schedule is of another family than its body}}
zyxk.kernel @family ports(%x: in f32[4], %y: out f32[4]) axes(i < 4) {
  %a = load %x[i] : f32
  store %a, %y[i] : f32
} schedule #zyxk.contract<mr = 4>

// -----

// What a routine does not take.
zyxk.kernel @unknown ports(%x: in f32[8], %y: out f32[8], %i: out i64[8]) axes() {
  // expected-error @below {{cannot be lowered: there is no routine 'quicksort'; known are argsort, scatter, sort, sort_values, topk}}
  opaque @quicksort(%x, %y, %i)
}

// -----

zyxk.kernel @positions ports(%x: in f32[8], %y: out f32[8], %i: out i32[8]) axes() {
  // expected-error @below {{cannot be lowered: sort gives values of type f32 and positions of type i64}}
  opaque @sort(%x, %y, %i)
}

// -----

zyxk.kernel @rows ports(%x: in f32[4, 8], %y: out f32[3, 8], %i: out i64[3, 8]) axes() {
  // expected-error @below {{cannot be lowered: sort gives values and positions for each row of 4x8}}
  opaque @sort(%x, %y, %i)
}

// -----

zyxk.kernel @largest ports(%x: in f32[4, 8], %y: out f32[4, 9], %i: out i64[4, 9]) axes() {
  // expected-error @below {{cannot be lowered: topk cannot give 9 of 8 elements}}
  opaque @topk(%x, %y, %i)
}

// -----

zyxk.kernel @direction ports(%x: in f32[8], %y: out f32[8], %i: out i64[8]) axes() {
  // expected-error @below {{cannot be lowered: sort takes the params (0) for rising, (1) for falling, or none}}
  opaque @sort(%x, %y, %i) params(2)
}

// -----

zyxk.kernel @mode ports(%x: inout f32[8], %y: out f32[8], %i: out i64[8]) axes() {
  // expected-error @below {{cannot be lowered: routines take in and out ports, port 0 is 'inout'}}
  opaque @sort(%x, %y, %i)
}

// -----

zyxk.kernel @dims dims(N, M) ports(%x: in f32[N], %y: out f32[M], %i: out i64[M]) axes() {
  // expected-error @below {{cannot be lowered: sort gives as many elements as it takes}}
  opaque @sort(%x, %y, %i)
}
