// RUN: zyx-opt %s | zyx-opt | FileCheck %s
// RUN: zyx-opt %s -mlir-print-op-generic | zyx-opt | FileCheck %s
// Unary ops survive printing and parsing, in both forms.

// CHECK-LABEL: func.func @roundtrip
func.func @roundtrip(%x: tensor<2x3xf32>, %b: tensor<2x3xi1>, %i: tensor<2x3xi32>) {
  // CHECK: zyx.neg %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = zyx.neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.abs %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = zyx.abs %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.sign %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = zyx.sign %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.ceil %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = zyx.ceil %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.floor %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = zyx.floor %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.round %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %5 = zyx.round %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.trunc %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %6 = zyx.trunc %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.sqrt %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %7 = zyx.sqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.rsqrt %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %8 = zyx.rsqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.recip %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %9 = zyx.recip %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.exp %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %10 = zyx.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.exp2 %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %11 = zyx.exp2 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.expm1 %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %12 = zyx.expm1 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.log %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %13 = zyx.log %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.log2 %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %14 = zyx.log2 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.log1p %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %15 = zyx.log1p %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.sin %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %16 = zyx.sin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.cos %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %17 = zyx.cos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.tan %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %18 = zyx.tan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.asin %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %19 = zyx.asin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.acos %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %20 = zyx.acos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.atan %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %21 = zyx.atan %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.sinh %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %22 = zyx.sinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.cosh %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %23 = zyx.cosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.tanh %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %24 = zyx.tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.asinh %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %25 = zyx.asinh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.acosh %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %26 = zyx.acosh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.atanh %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %27 = zyx.atanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.erf %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
  %28 = zyx.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: zyx.is_nan %{{.*}} : tensor<2x3xf32> -> tensor<2x3xi1>
  %29 = zyx.is_nan %x : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.is_inf %{{.*}} : tensor<2x3xf32> -> tensor<2x3xi1>
  %30 = zyx.is_inf %x : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK: zyx.not %{{.*}} : tensor<2x3xi1> -> tensor<2x3xi1>
  %31 = zyx.not %b : tensor<2x3xi1> -> tensor<2x3xi1>
  // CHECK: zyx.not %{{.*}} : tensor<2x3xi32> -> tensor<2x3xi32>
  %32 = zyx.not %i : tensor<2x3xi32> -> tensor<2x3xi32>
  return
}
