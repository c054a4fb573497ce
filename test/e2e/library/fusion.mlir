// What of a model a library computes, and what our kernels do around it. By case of the specification
// of the kernelizer; a library function there is one of BLAS here.
// RUN: split-file %s %t

// KZ-T-M1, KZ-B13: the product is stored and read again: two kernels, and the second loads what the first stores.
// RUN: zyxc explain %t/relu.mlir --blas auto --blas-when always | FileCheck %s --check-prefix=M1
// M1: {{^}}cblas_sgemm{{[^:]*}}: m
// M1-NEXT: cost
// M1-NEXT: reads a, b
// M1-NEXT: makes [[M:c[0-9]+]] f32[64,96]
// M1: {{^}}map{{[^:]*}}: relu
// M1-NEXT: cost
// M1-NEXT: reads [[M]] f32[64,96]
// M1-NOT: {{^}}{{[a-z_]+[0-9]+_[0-9a-f]+}}:

// KZ-T-M7: beside the library the kernel that fuses both stays a candidate, and wins by its cost.
// RUN: zyxc explain %t/relu.mlir --blas auto | FileCheck %s --check-prefix=M7
// M7: {{^}}contract{{[^:]*}}: m + relu
// M7: instead: {{.*}} to make {{c[0-9]+}} f32[64,96]
// M7-NOT: {{^}}{{[a-z_]+[0-9]+_[0-9a-f]+}}:

// KZ-T-M2: a kernel of the user makes the same product: the cheapest of the three is taken, and the relu stays one kernel.
// RUN: zyxc explain %t/twin.mlir --blas auto --blas-when always --library none.so | FileCheck %s --check-prefix=M2
// M2: {{^}}custom{{[^:]*}}_mine{{[^:]*}}:
// M2: instead: {{.*}} for cblas_sgemm kernel reading a, b
// M2: {{^}}map{{[^:]*}}: relu
// M2-NOT: {{^}}{{[a-z_]+[0-9]+_[0-9a-f]+}}:

// KZ-T-M3: two products in a row, each with a function behind it: four kernels, and no candidate twice.
// RUN: zyxc explain %t/two.mlir --blas auto --blas-when always | FileCheck %s --check-prefix=M3
// M3: {{^}}cblas_sgemm{{[^:]*}}: m1
// M3: {{^}}map{{[^:]*}}: h
// M3: {{^}}cblas_sgemm{{[^:]*}}: m2
// M3: {{^}}map{{[^:]*}}: o
// M3-NOT: {{^}}{{[a-z_]+[0-9]+_[0-9a-f]+}}:
// M3: table: 10 candidates, 10 programs

// KZ-T-M4: two products beside each other, each with a relu.
// RUN: zyxc explain %t/beside.mlir --blas auto --blas-when always | FileCheck %s --check-prefix=M4
// M4: {{^}}cblas_sgemm
// M4: {{^}}map
// M4: {{^}}cblas_sgemm
// M4: {{^}}map
// M4-NOT: {{^}}{{[a-z_]+[0-9]+_[0-9a-f]+}}:

// KZ-T-M5, KZ-B14: what the library makes is the output: nothing copies it.
// RUN: zyxc compile %t/plain.mlir --blas auto --blas-when always --emit plan | FileCheck %s --check-prefix=M5
// M5: steps:
// M5-NEXT: cblas_sgemm{{.*}}, output0+0:24576)
// M5-NOT: {{[a-z_]+[0-9]+_[0-9a-f]+}}(

// KZ-T-M6: what the library reads is computed and stored before.
// RUN: zyxc explain %t/exp.mlir --blas auto --blas-when always | FileCheck %s --check-prefix=M6
// M6: {{^}}map{{[^:]*}}: e
// M6: makes [[E:c[0-9]+]] f32[64,128]
// M6: {{^}}cblas_sgemm{{[^:]*}}: m
// M6-NEXT: cost
// M6-NEXT: reads [[E]] f32[64,128], b
// M6-NOT: {{^}}{{[a-z_]+[0-9]+_[0-9a-f]+}}:

// KZ-T-M10: compiled twice it is the same table and the same plan.
// RUN: zyxc compile %t/two.mlir --blas auto --blas-when always --emit plan > %t/first.txt
// RUN: zyxc compile %t/two.mlir --blas auto --blas-when always --emit plan > %t/second.txt
// RUN: cmp %t/first.txt %t/second.txt

// KZ-T-M11: BLAS has no products of f16: those of f32 are called, that of f16 is a kernel of ours.
// RUN: zyxc explain %t/half.mlir --blas auto --blas-when always | FileCheck %s --check-prefix=M11
// M11-DAG: {{^}}cblas_sgemm{{[^:]*}}: m
// M11-DAG: {{^}}contract{{[^:]*}}: h

// All of them compute what the interpreter does, with and without a library.
// RUN: sh -ec 'for model in relu two beside plain exp half; do for when in always cheaper; do zyxc verify %t/$model.mlir --blas %build/test/unit/libzyxc-reference-blas.so --blas-when $when; done; done' | FileCheck %s --check-prefix=VALUES
// VALUES-COUNT-12: all agree with the interpreter

//--- relu.mlir
func.func @main(%a: tensor<64x128xf32> {zyx.name = "a"}, %b: tensor<128x96xf32> {zyx.name = "b"}) -> tensor<64x96xf32> {
  %zero = zyx.constant dense<0.0> : tensor<64x96xf32>
  %m = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32> loc("m")
  %o = zyx.max %m, %zero : tensor<64x96xf32>, tensor<64x96xf32> -> tensor<64x96xf32> loc("relu")
  return %o : tensor<64x96xf32>
}
//--- twin.mlir
zyx.custom_kernel @mine : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32> like @plain cost {picoseconds = 0} {
  zyx.host_source "f"
}
func.func private @plain(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %m = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32>
  return %m : tensor<64x96xf32>
}
func.func @main(%a: tensor<64x128xf32> {zyx.name = "a"}, %b: tensor<128x96xf32> {zyx.name = "b"}) -> tensor<64x96xf32> {
  %zero = zyx.constant dense<0.0> : tensor<64x96xf32>
  %m = zyx.custom @mine(%a, %b) : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32> loc("m")
  %o = zyx.max %m, %zero : tensor<64x96xf32>, tensor<64x96xf32> -> tensor<64x96xf32> loc("relu")
  return %o : tensor<64x96xf32>
}
//--- two.mlir
func.func @main(%a: tensor<64x128xf32> {zyx.name = "a"}, %b: tensor<128x96xf32> {zyx.name = "b"}, %c: tensor<96x32xf32> {zyx.name = "c"}) -> tensor<64x32xf32> {
  %zero = zyx.constant dense<0.0> : tensor<64x96xf32>
  %m1 = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32> loc("m1")
  %h = zyx.max %m1, %zero : tensor<64x96xf32>, tensor<64x96xf32> -> tensor<64x96xf32> loc("h")
  %m2 = zyx.contract %h [0, 1], %c [1, 2] -> [0, 2] in f32 to f32 : tensor<64x96xf32>, tensor<96x32xf32> -> tensor<64x32xf32> loc("m2")
  %o = zyx.tanh %m2 : tensor<64x32xf32> -> tensor<64x32xf32> loc("o")
  return %o : tensor<64x32xf32>
}
//--- beside.mlir
func.func @main(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>, %c: tensor<32x48xf32>, %d: tensor<48x80xf32>) -> (tensor<64x96xf32>, tensor<32x80xf32>) {
  %zero = zyx.constant dense<0.0> : tensor<64x96xf32>
  %none = zyx.constant dense<0.0> : tensor<32x80xf32>
  %m = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32>
  %n = zyx.contract %c [0, 1], %d [1, 2] -> [0, 2] in f32 to f32 : tensor<32x48xf32>, tensor<48x80xf32> -> tensor<32x80xf32>
  %o = zyx.max %m, %zero : tensor<64x96xf32>, tensor<64x96xf32> -> tensor<64x96xf32>
  %p = zyx.max %n, %none : tensor<32x80xf32>, tensor<32x80xf32> -> tensor<32x80xf32>
  return %o, %p : tensor<64x96xf32>, tensor<32x80xf32>
}
//--- plain.mlir
func.func @main(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %m = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32>
  return %m : tensor<64x96xf32>
}
//--- exp.mlir
func.func @main(%a: tensor<64x128xf32> {zyx.name = "a"}, %b: tensor<128x96xf32> {zyx.name = "b"}) -> tensor<64x96xf32> {
  %e = zyx.exp %a : tensor<64x128xf32> -> tensor<64x128xf32> loc("e")
  %m = zyx.contract %e [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32> loc("m")
  return %m : tensor<64x96xf32>
}
//--- half.mlir
func.func @main(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>, %c: tensor<64x128xf16>, %d: tensor<128x96xf16>) -> (tensor<64x96xf32>, tensor<64x96xf16>) {
  %m = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<64x128xf32>, tensor<128x96xf32> -> tensor<64x96xf32> loc("m")
  %h = zyx.contract %c [0, 1], %d [1, 2] -> [0, 2] in f32 to f16 : tensor<64x128xf16>, tensor<128x96xf16> -> tensor<64x96xf16> loc("h")
  return %m, %h : tensor<64x96xf32>, tensor<64x96xf16>
}
