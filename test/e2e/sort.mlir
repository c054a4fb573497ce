// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc verify %s --numerics=exact --threads=2 --seed=1 | FileCheck %s
// Rows of every dtype in order.
// CHECK: verified 30 outputs
func.func @main(%f32: tensor<2x3x37xf32>, %f16: tensor<2x3x37xf16>, %bf16: tensor<2x3x37xbf16>, %f64: tensor<2x3x37xf64>, %f8E4M3FN: tensor<2x3x37xf8E4M3FN>, %f8E5M2: tensor<2x3x37xf8E5M2>, %i8: tensor<2x3x37xi8>, %i16: tensor<2x3x37xi16>, %i32: tensor<2x3x37xi32>, %i64: tensor<2x3x37xi64>, %u8: tensor<2x3x37xui8>, %u16: tensor<2x3x37xui16>, %u32: tensor<2x3x37xui32>, %u64: tensor<2x3x37xui64>, %bool: tensor<2x3x37xi1>)
    -> (tensor<2x3x37xf32>, tensor<2x3x37xi64>, tensor<2x3x37xf16>, tensor<2x3x37xi64>, tensor<2x3x37xbf16>, tensor<2x3x37xi64>, tensor<2x3x37xf64>, tensor<2x3x37xi64>, tensor<2x3x37xf8E4M3FN>, tensor<2x3x37xi64>, tensor<2x3x37xf8E5M2>, tensor<2x3x37xi64>, tensor<2x3x37xi8>, tensor<2x3x37xi64>, tensor<2x3x37xi16>, tensor<2x3x37xi64>, tensor<2x3x37xi32>, tensor<2x3x37xi64>, tensor<2x3x37xi64>, tensor<2x3x37xi64>, tensor<2x3x37xui8>, tensor<2x3x37xi64>, tensor<2x3x37xui16>, tensor<2x3x37xi64>, tensor<2x3x37xui32>, tensor<2x3x37xi64>, tensor<2x3x37xui64>, tensor<2x3x37xi64>, tensor<2x3x37xi1>, tensor<2x3x37xi64>) {
  %0 = zyx.sort %f32 descending 1 : tensor<2x3x37xf32> -> tensor<2x3x37xf32>
  %1 = zyx.argsort %f32 descending 0 : tensor<2x3x37xf32> -> tensor<2x3x37xi64>
  %2 = zyx.sort %f16 descending 0 : tensor<2x3x37xf16> -> tensor<2x3x37xf16>
  %3 = zyx.argsort %f16 descending 1 : tensor<2x3x37xf16> -> tensor<2x3x37xi64>
  %4 = zyx.sort %bf16 descending 1 : tensor<2x3x37xbf16> -> tensor<2x3x37xbf16>
  %5 = zyx.argsort %bf16 descending 0 : tensor<2x3x37xbf16> -> tensor<2x3x37xi64>
  %6 = zyx.sort %f64 descending 0 : tensor<2x3x37xf64> -> tensor<2x3x37xf64>
  %7 = zyx.argsort %f64 descending 1 : tensor<2x3x37xf64> -> tensor<2x3x37xi64>
  %8 = zyx.sort %f8E4M3FN descending 1 : tensor<2x3x37xf8E4M3FN> -> tensor<2x3x37xf8E4M3FN>
  %9 = zyx.argsort %f8E4M3FN descending 0 : tensor<2x3x37xf8E4M3FN> -> tensor<2x3x37xi64>
  %10 = zyx.sort %f8E5M2 descending 0 : tensor<2x3x37xf8E5M2> -> tensor<2x3x37xf8E5M2>
  %11 = zyx.argsort %f8E5M2 descending 1 : tensor<2x3x37xf8E5M2> -> tensor<2x3x37xi64>
  %12 = zyx.sort %i8 descending 1 : tensor<2x3x37xi8> -> tensor<2x3x37xi8>
  %13 = zyx.argsort %i8 descending 0 : tensor<2x3x37xi8> -> tensor<2x3x37xi64>
  %14 = zyx.sort %i16 descending 0 : tensor<2x3x37xi16> -> tensor<2x3x37xi16>
  %15 = zyx.argsort %i16 descending 1 : tensor<2x3x37xi16> -> tensor<2x3x37xi64>
  %16 = zyx.sort %i32 descending 1 : tensor<2x3x37xi32> -> tensor<2x3x37xi32>
  %17 = zyx.argsort %i32 descending 0 : tensor<2x3x37xi32> -> tensor<2x3x37xi64>
  %18 = zyx.sort %i64 descending 0 : tensor<2x3x37xi64> -> tensor<2x3x37xi64>
  %19 = zyx.argsort %i64 descending 1 : tensor<2x3x37xi64> -> tensor<2x3x37xi64>
  %20 = zyx.sort %u8 descending 1 : tensor<2x3x37xui8> -> tensor<2x3x37xui8>
  %21 = zyx.argsort %u8 descending 0 : tensor<2x3x37xui8> -> tensor<2x3x37xi64>
  %22 = zyx.sort %u16 descending 0 : tensor<2x3x37xui16> -> tensor<2x3x37xui16>
  %23 = zyx.argsort %u16 descending 1 : tensor<2x3x37xui16> -> tensor<2x3x37xi64>
  %24 = zyx.sort %u32 descending 1 : tensor<2x3x37xui32> -> tensor<2x3x37xui32>
  %25 = zyx.argsort %u32 descending 0 : tensor<2x3x37xui32> -> tensor<2x3x37xi64>
  %26 = zyx.sort %u64 descending 0 : tensor<2x3x37xui64> -> tensor<2x3x37xui64>
  %27 = zyx.argsort %u64 descending 1 : tensor<2x3x37xui64> -> tensor<2x3x37xi64>
  %28 = zyx.sort %bool descending 1 : tensor<2x3x37xi1> -> tensor<2x3x37xi1>
  %29 = zyx.argsort %bool descending 0 : tensor<2x3x37xi1> -> tensor<2x3x37xi64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29 : tensor<2x3x37xf32>, tensor<2x3x37xi64>, tensor<2x3x37xf16>, tensor<2x3x37xi64>, tensor<2x3x37xbf16>, tensor<2x3x37xi64>, tensor<2x3x37xf64>, tensor<2x3x37xi64>, tensor<2x3x37xf8E4M3FN>, tensor<2x3x37xi64>, tensor<2x3x37xf8E5M2>, tensor<2x3x37xi64>, tensor<2x3x37xi8>, tensor<2x3x37xi64>, tensor<2x3x37xi16>, tensor<2x3x37xi64>, tensor<2x3x37xi32>, tensor<2x3x37xi64>, tensor<2x3x37xi64>, tensor<2x3x37xi64>, tensor<2x3x37xui8>, tensor<2x3x37xi64>, tensor<2x3x37xui16>, tensor<2x3x37xi64>, tensor<2x3x37xui32>, tensor<2x3x37xi64>, tensor<2x3x37xui64>, tensor<2x3x37xi64>, tensor<2x3x37xi1>, tensor<2x3x37xi64>
}
