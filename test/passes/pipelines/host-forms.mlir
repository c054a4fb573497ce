// Forms of functions and fused multiply-adds on the host.
// RUN: zyx-opt %s -zyxk-host-expand -canonicalize | FileCheck %s

// GELU, written with tanh: x / (1 + 2^(x (a + b x^2))), with one division and no tanh.
// CHECK-LABEL: func.func @gelu
// CHECK-SAME: %[[X:[a-z0-9]+]]: vector<16xf32>
// CHECK-DAG: %[[LINEAR:.*]] = arith.constant dense<-2.3022{{[0-9]*}}> : vector<16xf32>
// CHECK-DAG: %[[CUBIC:.*]] = arith.constant dense<-0.10294{{[0-9]*}}> : vector<16xf32>
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[SUM:.*]] = math.fma %[[SQUARE]], %[[CUBIC]], %[[LINEAR]]
// CHECK: arith.mulf %[[X]], %[[SUM]]
// CHECK-NOT: {{arith.divf|math.tanh|math.exp}}
// CHECK: %[[GELU:.*]] = arith.divf %[[X]], %{{.*}}
// CHECK-NEXT: return %[[GELU]]
func.func @gelu(%x: vector<16xf32>) -> vector<16xf32> {
  %half = arith.constant dense<0.5> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %cubic = arith.constant dense<0.044715> : vector<16xf32>
  %root = arith.constant dense<0.7978845608> : vector<16xf32>
  %x2 = arith.mulf %x, %x : vector<16xf32>
  %x3 = arith.mulf %x2, %x : vector<16xf32>
  %t0 = arith.mulf %cubic, %x3 : vector<16xf32>
  %t1 = arith.addf %x, %t0 : vector<16xf32>
  %t2 = arith.mulf %root, %t1 : vector<16xf32>
  %t3 = math.tanh %t2 : vector<16xf32>
  %t4 = arith.addf %one, %t3 : vector<16xf32>
  %t5 = arith.mulf %half, %x : vector<16xf32>
  %o = arith.mulf %t5, %t4 : vector<16xf32>
  return %o : vector<16xf32>
}

// x + k x^3 for a negative k is infinity minus infinity at infinity, and stays.
// CHECK-LABEL: func.func @negative_cube
// CHECK-COUNT-2: arith.mulf
// CHECK-NEXT: math.fma
// CHECK-NEXT: return
func.func @negative_cube(%x: f32) -> f32 {
  %k = arith.constant -0.5 : f32
  %x2 = arith.mulf %x, %x : f32
  %x3 = arith.mulf %x2, %x : f32
  %t0 = arith.mulf %x3, %k : f32
  %t1 = arith.addf %x, %t0 : f32
  return %t1 : f32
}

// A sigmoid's quotient takes the factor as its dividend; e^-x of an exact x stays as it is.
// CHECK-LABEL: func.func @silu
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
// CHECK: %[[SILU:.*]] = arith.divf %[[X]], %{{.*}}
// CHECK-NEXT: return %[[SILU]]
func.func @silu(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x : f32
  %e = math.exp %minus : f32
  %d = arith.addf %e, %one : f32
  %s = arith.divf %one, %d : f32
  %o = arith.mulf %x, %s : f32
  return %o : f32
}

// A factor finds no constant in a sum of other values, however often it looks.
// CHECK-LABEL: func.func @mean
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[TOTAL:.*]] = arith.addf %[[SUM]], %{{.*}}
// CHECK-NEXT: arith.mulf %[[TOTAL]]
func.func @mean(%x: f32, %y: f32) -> f32 {
  %start = arith.constant 2.0 : f32
  %quarter = arith.constant 0.25 : f32
  %a = arith.addf %start, %x : f32
  %b = arith.addf %a, %y : f32
  %o = arith.mulf %b, %quarter : f32
  return %o : f32
}
