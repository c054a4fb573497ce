// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Binary ops, comparisons, select and casts survive printing and parsing.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<2x3xf32>, %b: tensor<2x3xi1>, %i: tensor<2x3xi32>, %u: tensor<2x3xui8>, %d: tensor<2x3xf8E4M3FN>) {
  // CHECK: zyx.add %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = zyx.add %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.sub %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = zyx.sub %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.mul %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = zyx.mul %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.div %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = zyx.div %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.rem %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = zyx.rem %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.mod %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = zyx.mod %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.pow %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = zyx.pow %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.max %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %7 = zyx.max %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.min %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %8 = zyx.min %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.and %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xi1> -> tensor<2x3xi1>
  %9 = zyx.and %b, %b : tensor<2x3xi1>, tensor<2x3xi1> -> tensor<2x3xi1>
  // CHECK: zyx.or %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xi1> -> tensor<2x3xi1>
  %10 = zyx.or %b, %b : tensor<2x3xi1>, tensor<2x3xi1> -> tensor<2x3xi1>
  // CHECK: zyx.xor %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xi1> -> tensor<2x3xi1>
  %11 = zyx.xor %b, %b : tensor<2x3xi1>, tensor<2x3xi1> -> tensor<2x3xi1>
  // CHECK: zyx.shl %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  %12 = zyx.shl %i, %i : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  // CHECK: zyx.shr %{{.*}}, %{{.*}} : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  %13 = zyx.shr %i, %i : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
  // CHECK: zyx.eq %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %14 = zyx.eq %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.ne %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %15 = zyx.ne %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.lt %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %16 = zyx.lt %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.le %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %17 = zyx.le %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.gt %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %18 = zyx.gt %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.ge %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  %19 = zyx.ge %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.add %{{.*}}, %{{.*}} : tensor<2x3xui8>, tensor<2x3xui8> -> tensor<2x3xui8>
  %20 = zyx.add %u, %u : tensor<2x3xui8>, tensor<2x3xui8> -> tensor<2x3xui8>
  // CHECK: zyx.mul %{{.*}}, %{{.*}} : tensor<2x3xf8E4M3FN>, tensor<2x3xf8E4M3FN> -> tensor<2x3xf8E4M3FN>
  %21 = zyx.mul %d, %d : tensor<2x3xf8E4M3FN>, tensor<2x3xf8E4M3FN> -> tensor<2x3xf8E4M3FN>
  // CHECK: zyx.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %22 = zyx.select %b, %x, %x : tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.cast %{{.*}} to ui8 : tensor<2x3xf32> -> tensor<2x3xui8>
  %23 = zyx.cast %x to ui8 : tensor<2x3xf32> -> tensor<2x3xui8>
  // CHECK: zyx.cast %{{.*}} to f8E5M2 : tensor<2x3xi1> -> tensor<2x3xf8E5M2>
  %24 = zyx.cast %b to f8E5M2 : tensor<2x3xi1> -> tensor<2x3xf8E5M2>
  // CHECK: zyx.bitcast %{{.*}} to i32 : tensor<2x3xf32> -> tensor<2x3xi32>
  %25 = zyx.bitcast %x to i32 : tensor<2x3xf32> -> tensor<2x3xi32>
  return
}
