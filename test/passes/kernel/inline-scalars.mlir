// Scalar calls become arith and math ops; narrow floats are computed in f32 and rounded once.
// RUN: zyx-opt %s --zyxk-inline-scalars | FileCheck %s
// RUN: zyx-opt %s --zyxk-lower-host | FileCheck %s --check-prefix=HOST

// HOST: func.func @activations

// CHECK-LABEL: @activations
// CHECK: %[[X:.*]] = load %in0[i] : f16
// CHECK: %[[W:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK: %[[N:.*]] = arith.negf %[[W]] : f32
// CHECK: %[[E:.*]] = math.exp %[[N]] : f32
// CHECK: %[[S:.*]] = arith.addf %[[E]], %{{.*}} : f32
// CHECK: %[[D:.*]] = arith.divf %{{.*}}, %[[S]] : f32
// CHECK: %[[R:.*]] = arith.truncf %[[D]] : f32 to f16
// CHECK: store %[[R]], %out1[i] : f16
// CHECK-NOT: scalar
zyxk.kernel @activations ports(%x: in f16[8], %y: out f16[8], %z: out f32[8]) axes(i < 8) {
  %a = load %x[i] : f16
  %s = scalar @sigmoid(%a) : f16
  store %s, %y[i] : f16
  %w = arith.extf %a : f16 to f32
  %g = scalar @gelu_tanh(%w) : f32
  // CHECK: math.exp
  // CHECK: arith.divf
  %p = scalar @softplus(%g) : f32
  // CHECK: math.log1p
  %t = scalar @tanh(%p) : f32
  %m = scalar @min(%t, %w) : f32
  store %m, %z[i] : f32
}
