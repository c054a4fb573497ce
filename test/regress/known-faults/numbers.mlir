// Numbers that wrap, NaN in a maximum and beside bounds: host and GPUs agree with the interpreter.
// test/models/known_faults_test.py has the values. Kernels read the numbers from memory, so that nothing folds them.
// RUN: zyxc kernel check %s | FileCheck %s
// RUN: zyxc kernel check %s --target sm_90 --simulate | FileCheck %s
// CHECK-COUNT-3: all agree
// A chain that overflows.
zyxk.kernel @wraps_numbers ports(%x: out i32[7]) axes(i < 7) {
  %v0 = arith.constant 40 : i32
  %c1 = arith.constant 3 : i32
  %v1 = where %c1 if (i == 1) else %v0 : i32
  %c2 = arith.constant -1 : i32
  %v2 = where %c2 if (i == 2) else %v1 : i32
  %c3 = arith.constant 1073741824 : i32
  %v3 = where %c3 if (i == 3) else %v2 : i32
  %c4 = arith.constant 77777 : i32
  %v4 = where %c4 if (i == 4) else %v3 : i32
  %c5 = arith.constant -99999 : i32
  %v5 = where %c5 if (i == 5) else %v4 : i32
  %c6 = arith.constant 46341 : i32
  %v6 = where %c6 if (i == 6) else %v5 : i32
  store %v6, %x[i] : i32
}
zyxk.kernel @wraps_chain ports(%x: in i32[7], %y, %z: out i32[7]) axes(i < 7) {
  %k = arith.constant 1024 : i32
  %v0 = load %x[i] : i32
  %v1 = arith.muli %v0, %k : i32
  %v2 = arith.muli %v1, %k : i32
  %v3 = arith.muli %v2, %k : i32
  %v4 = arith.muli %v3, %k : i32
  %q = arith.muli %v0, %v0 : i32
  %c = arith.muli %q, %v0 : i32
  store %v4, %y[i] : i32
  store %c, %z[i] : i32
}
zyxk.program @wraps ports(%y, %z: out i32[7], %x: scratch i32[7]) {
  launch @wraps_numbers(%x)
  launch @wraps_chain(%x, %y, %z)
}
// NaN wins in a maximum, in lanes of vectors and in tails; row n has it at element n * 7.
zyxk.kernel @with_nan_numbers ports(%x: out f32[6, 37]) axes(r < 6, i < 37) {
  %at = index i
  %n = arith.index_cast %at : index to i32
  %f = arith.sitofp %n : i32 to f32
  %nan = arith.constant 0x7FC00000 : f32
  %v = where %nan if (i - 7 * r == 0) else %f : f32
  store %v, %x[r, i] : f32
}
zyxk.kernel @with_nan_maximum ports(%x: in f32[6, 37], %y, %z: out f32[6]) axes(r < 6, i < 37) {
  %v = load %x[r, i] : f32
  %m = reduce max %v over [i] : f32
  %n = reduce min %v over [i] : f32
  store %m, %y[r] : f32
  store %n, %z[r] : f32
}
zyxk.program @with_nan ports(%y, %z: out f32[6], %x: scratch f32[6, 37]) {
  launch @with_nan_numbers(%x)
  launch @with_nan_maximum(%x, %y, %z)
}
// NaN beside a scalar, bounds in the wrong order.
zyxk.kernel @bounds_numbers ports(%x: out f32[3]) axes(i < 3) {
  %v0 = arith.constant 1.0 : f32
  %c1 = arith.constant 0x7FC00000 : f32
  %v1 = where %c1 if (i == 1) else %v0 : f32
  %c2 = arith.constant 9.0 : f32
  %v2 = where %c2 if (i == 2) else %v1 : f32
  store %v2, %x[i] : f32
}
zyxk.kernel @bounds_bounds ports(%x: in f32[3], %y, %z, %w: out f32[3]) axes(i < 3) {
  %v = load %x[i] : f32
  %five = arith.constant 5.0 : f32
  %two = arith.constant 2.0 : f32
  %low = arith.maximumf %v, %five : f32
  %high = arith.minimumf %v, %five : f32
  %clip = arith.minimumf %low, %two : f32
  store %low, %y[i] : f32
  store %high, %z[i] : f32
  store %clip, %w[i] : f32
}
zyxk.program @bounds ports(%y, %z, %w: out f32[3], %x: scratch f32[3]) {
  launch @bounds_numbers(%x)
  launch @bounds_bounds(%x, %y, %z, %w)
}
