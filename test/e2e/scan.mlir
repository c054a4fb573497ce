// RUN: zyxc verify %s --rtol=1e-2 | FileCheck %s
// RUN: zyxc verify %s --rtol=1e-2 --numerics=exact --threads=2 --seed=1 | FileCheck %s
// Prefix forms of every dtype, along each axis.
// CHECK: verified 56 outputs
func.func @main(%f32: tensor<3x5x7xf32>, %f16: tensor<3x5x7xf16>, %bf16: tensor<3x5x7xbf16>, %f64: tensor<3x5x7xf64>, %f8E4M3FN: tensor<3x5x7xf8E4M3FN>, %f8E5M2: tensor<3x5x7xf8E5M2>, %i8: tensor<3x5x7xi8>, %i16: tensor<3x5x7xi16>, %i32: tensor<3x5x7xi32>, %i64: tensor<3x5x7xi64>, %u8: tensor<3x5x7xui8>, %u16: tensor<3x5x7xui16>, %u32: tensor<3x5x7xui32>, %u64: tensor<3x5x7xui64>)
    -> (tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<3x5x7xf16>, tensor<3x5x7xf16>, tensor<3x5x7xf16>, tensor<3x5x7xf16>, tensor<3x5x7xbf16>, tensor<3x5x7xbf16>, tensor<3x5x7xbf16>, tensor<3x5x7xbf16>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xi8>, tensor<3x5x7xi8>, tensor<3x5x7xi8>, tensor<3x5x7xi8>, tensor<3x5x7xi16>, tensor<3x5x7xi16>, tensor<3x5x7xi16>, tensor<3x5x7xi16>, tensor<3x5x7xi32>, tensor<3x5x7xi32>, tensor<3x5x7xi32>, tensor<3x5x7xi32>, tensor<3x5x7xi64>, tensor<3x5x7xi64>, tensor<3x5x7xi64>, tensor<3x5x7xi64>, tensor<3x5x7xui8>, tensor<3x5x7xui8>, tensor<3x5x7xui8>, tensor<3x5x7xui8>, tensor<3x5x7xui16>, tensor<3x5x7xui16>, tensor<3x5x7xui16>, tensor<3x5x7xui16>, tensor<3x5x7xui32>, tensor<3x5x7xui32>, tensor<3x5x7xui32>, tensor<3x5x7xui32>, tensor<3x5x7xui64>, tensor<3x5x7xui64>, tensor<3x5x7xui64>, tensor<3x5x7xui64>) {
  %0 = zyx.scan_sum %f32 along 1 exclusive 0 reverse 1 : tensor<3x5x7xf32> -> tensor<3x5x7xf32>
  %1 = zyx.scan_prod %f32 along 2 exclusive 1 reverse 1 : tensor<3x5x7xf32> -> tensor<3x5x7xf32>
  %2 = zyx.scan_max %f32 along 0 exclusive 0 reverse 0 : tensor<3x5x7xf32> -> tensor<3x5x7xf32>
  %3 = zyx.scan_min %f32 along 1 exclusive 1 reverse 0 : tensor<3x5x7xf32> -> tensor<3x5x7xf32>
  %4 = zyx.scan_sum %f16 along 2 exclusive 1 reverse 0 : tensor<3x5x7xf16> -> tensor<3x5x7xf16>
  %5 = zyx.scan_prod %f16 along 0 exclusive 0 reverse 0 : tensor<3x5x7xf16> -> tensor<3x5x7xf16>
  %6 = zyx.scan_max %f16 along 1 exclusive 1 reverse 1 : tensor<3x5x7xf16> -> tensor<3x5x7xf16>
  %7 = zyx.scan_min %f16 along 2 exclusive 0 reverse 1 : tensor<3x5x7xf16> -> tensor<3x5x7xf16>
  %8 = zyx.scan_sum %bf16 along 0 exclusive 0 reverse 1 : tensor<3x5x7xbf16> -> tensor<3x5x7xbf16>
  %9 = zyx.scan_prod %bf16 along 1 exclusive 1 reverse 1 : tensor<3x5x7xbf16> -> tensor<3x5x7xbf16>
  %10 = zyx.scan_max %bf16 along 2 exclusive 0 reverse 0 : tensor<3x5x7xbf16> -> tensor<3x5x7xbf16>
  %11 = zyx.scan_min %bf16 along 0 exclusive 1 reverse 0 : tensor<3x5x7xbf16> -> tensor<3x5x7xbf16>
  %12 = zyx.scan_sum %f64 along 1 exclusive 1 reverse 0 : tensor<3x5x7xf64> -> tensor<3x5x7xf64>
  %13 = zyx.scan_prod %f64 along 2 exclusive 0 reverse 0 : tensor<3x5x7xf64> -> tensor<3x5x7xf64>
  %14 = zyx.scan_max %f64 along 0 exclusive 1 reverse 1 : tensor<3x5x7xf64> -> tensor<3x5x7xf64>
  %15 = zyx.scan_min %f64 along 1 exclusive 0 reverse 1 : tensor<3x5x7xf64> -> tensor<3x5x7xf64>
  %16 = zyx.scan_sum %f8E4M3FN along 2 exclusive 0 reverse 1 : tensor<3x5x7xf8E4M3FN> -> tensor<3x5x7xf8E4M3FN>
  %17 = zyx.scan_prod %f8E4M3FN along 0 exclusive 1 reverse 1 : tensor<3x5x7xf8E4M3FN> -> tensor<3x5x7xf8E4M3FN>
  %18 = zyx.scan_max %f8E4M3FN along 1 exclusive 0 reverse 0 : tensor<3x5x7xf8E4M3FN> -> tensor<3x5x7xf8E4M3FN>
  %19 = zyx.scan_min %f8E4M3FN along 2 exclusive 1 reverse 0 : tensor<3x5x7xf8E4M3FN> -> tensor<3x5x7xf8E4M3FN>
  %20 = zyx.scan_sum %f8E5M2 along 0 exclusive 1 reverse 0 : tensor<3x5x7xf8E5M2> -> tensor<3x5x7xf8E5M2>
  %21 = zyx.scan_prod %f8E5M2 along 1 exclusive 0 reverse 0 : tensor<3x5x7xf8E5M2> -> tensor<3x5x7xf8E5M2>
  %22 = zyx.scan_max %f8E5M2 along 2 exclusive 1 reverse 1 : tensor<3x5x7xf8E5M2> -> tensor<3x5x7xf8E5M2>
  %23 = zyx.scan_min %f8E5M2 along 0 exclusive 0 reverse 1 : tensor<3x5x7xf8E5M2> -> tensor<3x5x7xf8E5M2>
  %24 = zyx.scan_sum %i8 along 1 exclusive 0 reverse 1 : tensor<3x5x7xi8> -> tensor<3x5x7xi8>
  %25 = zyx.scan_prod %i8 along 2 exclusive 1 reverse 1 : tensor<3x5x7xi8> -> tensor<3x5x7xi8>
  %26 = zyx.scan_max %i8 along 0 exclusive 0 reverse 0 : tensor<3x5x7xi8> -> tensor<3x5x7xi8>
  %27 = zyx.scan_min %i8 along 1 exclusive 1 reverse 0 : tensor<3x5x7xi8> -> tensor<3x5x7xi8>
  %28 = zyx.scan_sum %i16 along 2 exclusive 1 reverse 0 : tensor<3x5x7xi16> -> tensor<3x5x7xi16>
  %29 = zyx.scan_prod %i16 along 0 exclusive 0 reverse 0 : tensor<3x5x7xi16> -> tensor<3x5x7xi16>
  %30 = zyx.scan_max %i16 along 1 exclusive 1 reverse 1 : tensor<3x5x7xi16> -> tensor<3x5x7xi16>
  %31 = zyx.scan_min %i16 along 2 exclusive 0 reverse 1 : tensor<3x5x7xi16> -> tensor<3x5x7xi16>
  %32 = zyx.scan_sum %i32 along 0 exclusive 0 reverse 1 : tensor<3x5x7xi32> -> tensor<3x5x7xi32>
  %33 = zyx.scan_prod %i32 along 1 exclusive 1 reverse 1 : tensor<3x5x7xi32> -> tensor<3x5x7xi32>
  %34 = zyx.scan_max %i32 along 2 exclusive 0 reverse 0 : tensor<3x5x7xi32> -> tensor<3x5x7xi32>
  %35 = zyx.scan_min %i32 along 0 exclusive 1 reverse 0 : tensor<3x5x7xi32> -> tensor<3x5x7xi32>
  %36 = zyx.scan_sum %i64 along 1 exclusive 1 reverse 0 : tensor<3x5x7xi64> -> tensor<3x5x7xi64>
  %37 = zyx.scan_prod %i64 along 2 exclusive 0 reverse 0 : tensor<3x5x7xi64> -> tensor<3x5x7xi64>
  %38 = zyx.scan_max %i64 along 0 exclusive 1 reverse 1 : tensor<3x5x7xi64> -> tensor<3x5x7xi64>
  %39 = zyx.scan_min %i64 along 1 exclusive 0 reverse 1 : tensor<3x5x7xi64> -> tensor<3x5x7xi64>
  %40 = zyx.scan_sum %u8 along 2 exclusive 0 reverse 1 : tensor<3x5x7xui8> -> tensor<3x5x7xui8>
  %41 = zyx.scan_prod %u8 along 0 exclusive 1 reverse 1 : tensor<3x5x7xui8> -> tensor<3x5x7xui8>
  %42 = zyx.scan_max %u8 along 1 exclusive 0 reverse 0 : tensor<3x5x7xui8> -> tensor<3x5x7xui8>
  %43 = zyx.scan_min %u8 along 2 exclusive 1 reverse 0 : tensor<3x5x7xui8> -> tensor<3x5x7xui8>
  %44 = zyx.scan_sum %u16 along 0 exclusive 1 reverse 0 : tensor<3x5x7xui16> -> tensor<3x5x7xui16>
  %45 = zyx.scan_prod %u16 along 1 exclusive 0 reverse 0 : tensor<3x5x7xui16> -> tensor<3x5x7xui16>
  %46 = zyx.scan_max %u16 along 2 exclusive 1 reverse 1 : tensor<3x5x7xui16> -> tensor<3x5x7xui16>
  %47 = zyx.scan_min %u16 along 0 exclusive 0 reverse 1 : tensor<3x5x7xui16> -> tensor<3x5x7xui16>
  %48 = zyx.scan_sum %u32 along 1 exclusive 0 reverse 1 : tensor<3x5x7xui32> -> tensor<3x5x7xui32>
  %49 = zyx.scan_prod %u32 along 2 exclusive 1 reverse 1 : tensor<3x5x7xui32> -> tensor<3x5x7xui32>
  %50 = zyx.scan_max %u32 along 0 exclusive 0 reverse 0 : tensor<3x5x7xui32> -> tensor<3x5x7xui32>
  %51 = zyx.scan_min %u32 along 1 exclusive 1 reverse 0 : tensor<3x5x7xui32> -> tensor<3x5x7xui32>
  %52 = zyx.scan_sum %u64 along 2 exclusive 1 reverse 0 : tensor<3x5x7xui64> -> tensor<3x5x7xui64>
  %53 = zyx.scan_prod %u64 along 0 exclusive 0 reverse 0 : tensor<3x5x7xui64> -> tensor<3x5x7xui64>
  %54 = zyx.scan_max %u64 along 1 exclusive 1 reverse 1 : tensor<3x5x7xui64> -> tensor<3x5x7xui64>
  %55 = zyx.scan_min %u64 along 2 exclusive 0 reverse 1 : tensor<3x5x7xui64> -> tensor<3x5x7xui64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55 : tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<3x5x7xf32>, tensor<3x5x7xf16>, tensor<3x5x7xf16>, tensor<3x5x7xf16>, tensor<3x5x7xf16>, tensor<3x5x7xbf16>, tensor<3x5x7xbf16>, tensor<3x5x7xbf16>, tensor<3x5x7xbf16>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf64>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E4M3FN>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xf8E5M2>, tensor<3x5x7xi8>, tensor<3x5x7xi8>, tensor<3x5x7xi8>, tensor<3x5x7xi8>, tensor<3x5x7xi16>, tensor<3x5x7xi16>, tensor<3x5x7xi16>, tensor<3x5x7xi16>, tensor<3x5x7xi32>, tensor<3x5x7xi32>, tensor<3x5x7xi32>, tensor<3x5x7xi32>, tensor<3x5x7xi64>, tensor<3x5x7xi64>, tensor<3x5x7xi64>, tensor<3x5x7xi64>, tensor<3x5x7xui8>, tensor<3x5x7xui8>, tensor<3x5x7xui8>, tensor<3x5x7xui8>, tensor<3x5x7xui16>, tensor<3x5x7xui16>, tensor<3x5x7xui16>, tensor<3x5x7xui16>, tensor<3x5x7xui32>, tensor<3x5x7xui32>, tensor<3x5x7xui32>, tensor<3x5x7xui32>, tensor<3x5x7xui64>, tensor<3x5x7xui64>, tensor<3x5x7xui64>, tensor<3x5x7xui64>
}
