// RUN: zyxc verify %s | FileCheck %s
// RUN: zyxc verify %s --numerics=exact --threads=2 --seed=1 | FileCheck %s
// Rows to given places, every dtype and combination; indices repeat, are negative and out of range.
// CHECK: verified 73 outputs
func.func @main(%i64: tensor<9xi64>, %u8: tensor<9xui8>, %i32: tensor<9xi32>, %x_f32: tensor<6x4xf32>, %u_f32: tensor<9x4xf32>, %x_f16: tensor<6x4xf16>, %u_f16: tensor<9x4xf16>, %x_bf16: tensor<6x4xbf16>, %u_bf16: tensor<9x4xbf16>, %x_f64: tensor<6x4xf64>, %u_f64: tensor<9x4xf64>, %x_f8E4M3FN: tensor<6x4xf8E4M3FN>, %u_f8E4M3FN: tensor<9x4xf8E4M3FN>, %x_f8E5M2: tensor<6x4xf8E5M2>, %u_f8E5M2: tensor<9x4xf8E5M2>, %x_i8: tensor<6x4xi8>, %u_i8: tensor<9x4xi8>, %x_i16: tensor<6x4xi16>, %u_i16: tensor<9x4xi16>, %x_i32: tensor<6x4xi32>, %u_i32: tensor<9x4xi32>, %x_i64: tensor<6x4xi64>, %u_i64: tensor<9x4xi64>, %x_u8: tensor<6x4xui8>, %u_u8: tensor<9x4xui8>, %x_u16: tensor<6x4xui16>, %u_u16: tensor<9x4xui16>, %x_u32: tensor<6x4xui32>, %u_u32: tensor<9x4xui32>, %x_u64: tensor<6x4xui64>, %u_u64: tensor<9x4xui64>, %x_bool: tensor<6x4xi1>, %u_bool: tensor<9x4xi1>)
    -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xi1>, tensor<6x4xi1>, tensor<6x4xi1>) {
  %seven = zyx.constant dense<7> : tensor<9xi64>
  %low = zyx.sub %i64, %seven : tensor<9xi64>, tensor<9xi64> -> tensor<9xi64>
  %0 = zyx.scatter %x_f32, %u8, %u_f32 combine "none" : tensor<6x4xf32>, tensor<9xui8>, tensor<9x4xf32> -> tensor<6x4xf32>
  %1 = zyx.scatter %x_f32, %low, %u_f32 combine "add" : tensor<6x4xf32>, tensor<9xi64>, tensor<9x4xf32> -> tensor<6x4xf32>
  %2 = zyx.scatter %x_f32, %i32, %u_f32 combine "mul" : tensor<6x4xf32>, tensor<9xi32>, tensor<9x4xf32> -> tensor<6x4xf32>
  %3 = zyx.scatter %x_f32, %low, %u_f32 combine "max" : tensor<6x4xf32>, tensor<9xi64>, tensor<9x4xf32> -> tensor<6x4xf32>
  %4 = zyx.scatter %x_f32, %u8, %u_f32 combine "min" : tensor<6x4xf32>, tensor<9xui8>, tensor<9x4xf32> -> tensor<6x4xf32>
  %5 = zyx.scatter %x_f16, %u8, %u_f16 combine "none" : tensor<6x4xf16>, tensor<9xui8>, tensor<9x4xf16> -> tensor<6x4xf16>
  %6 = zyx.scatter %x_f16, %low, %u_f16 combine "add" : tensor<6x4xf16>, tensor<9xi64>, tensor<9x4xf16> -> tensor<6x4xf16>
  %7 = zyx.scatter %x_f16, %i32, %u_f16 combine "mul" : tensor<6x4xf16>, tensor<9xi32>, tensor<9x4xf16> -> tensor<6x4xf16>
  %8 = zyx.scatter %x_f16, %low, %u_f16 combine "max" : tensor<6x4xf16>, tensor<9xi64>, tensor<9x4xf16> -> tensor<6x4xf16>
  %9 = zyx.scatter %x_f16, %u8, %u_f16 combine "min" : tensor<6x4xf16>, tensor<9xui8>, tensor<9x4xf16> -> tensor<6x4xf16>
  %10 = zyx.scatter %x_bf16, %u8, %u_bf16 combine "none" : tensor<6x4xbf16>, tensor<9xui8>, tensor<9x4xbf16> -> tensor<6x4xbf16>
  %11 = zyx.scatter %x_bf16, %low, %u_bf16 combine "add" : tensor<6x4xbf16>, tensor<9xi64>, tensor<9x4xbf16> -> tensor<6x4xbf16>
  %12 = zyx.scatter %x_bf16, %i32, %u_bf16 combine "mul" : tensor<6x4xbf16>, tensor<9xi32>, tensor<9x4xbf16> -> tensor<6x4xbf16>
  %13 = zyx.scatter %x_bf16, %low, %u_bf16 combine "max" : tensor<6x4xbf16>, tensor<9xi64>, tensor<9x4xbf16> -> tensor<6x4xbf16>
  %14 = zyx.scatter %x_bf16, %u8, %u_bf16 combine "min" : tensor<6x4xbf16>, tensor<9xui8>, tensor<9x4xbf16> -> tensor<6x4xbf16>
  %15 = zyx.scatter %x_f64, %u8, %u_f64 combine "none" : tensor<6x4xf64>, tensor<9xui8>, tensor<9x4xf64> -> tensor<6x4xf64>
  %16 = zyx.scatter %x_f64, %low, %u_f64 combine "add" : tensor<6x4xf64>, tensor<9xi64>, tensor<9x4xf64> -> tensor<6x4xf64>
  %17 = zyx.scatter %x_f64, %i32, %u_f64 combine "mul" : tensor<6x4xf64>, tensor<9xi32>, tensor<9x4xf64> -> tensor<6x4xf64>
  %18 = zyx.scatter %x_f64, %low, %u_f64 combine "max" : tensor<6x4xf64>, tensor<9xi64>, tensor<9x4xf64> -> tensor<6x4xf64>
  %19 = zyx.scatter %x_f64, %u8, %u_f64 combine "min" : tensor<6x4xf64>, tensor<9xui8>, tensor<9x4xf64> -> tensor<6x4xf64>
  %20 = zyx.scatter %x_f8E4M3FN, %u8, %u_f8E4M3FN combine "none" : tensor<6x4xf8E4M3FN>, tensor<9xui8>, tensor<9x4xf8E4M3FN> -> tensor<6x4xf8E4M3FN>
  %21 = zyx.scatter %x_f8E4M3FN, %low, %u_f8E4M3FN combine "add" : tensor<6x4xf8E4M3FN>, tensor<9xi64>, tensor<9x4xf8E4M3FN> -> tensor<6x4xf8E4M3FN>
  %22 = zyx.scatter %x_f8E4M3FN, %i32, %u_f8E4M3FN combine "mul" : tensor<6x4xf8E4M3FN>, tensor<9xi32>, tensor<9x4xf8E4M3FN> -> tensor<6x4xf8E4M3FN>
  %23 = zyx.scatter %x_f8E4M3FN, %low, %u_f8E4M3FN combine "max" : tensor<6x4xf8E4M3FN>, tensor<9xi64>, tensor<9x4xf8E4M3FN> -> tensor<6x4xf8E4M3FN>
  %24 = zyx.scatter %x_f8E4M3FN, %u8, %u_f8E4M3FN combine "min" : tensor<6x4xf8E4M3FN>, tensor<9xui8>, tensor<9x4xf8E4M3FN> -> tensor<6x4xf8E4M3FN>
  %25 = zyx.scatter %x_f8E5M2, %u8, %u_f8E5M2 combine "none" : tensor<6x4xf8E5M2>, tensor<9xui8>, tensor<9x4xf8E5M2> -> tensor<6x4xf8E5M2>
  %26 = zyx.scatter %x_f8E5M2, %low, %u_f8E5M2 combine "add" : tensor<6x4xf8E5M2>, tensor<9xi64>, tensor<9x4xf8E5M2> -> tensor<6x4xf8E5M2>
  %27 = zyx.scatter %x_f8E5M2, %i32, %u_f8E5M2 combine "mul" : tensor<6x4xf8E5M2>, tensor<9xi32>, tensor<9x4xf8E5M2> -> tensor<6x4xf8E5M2>
  %28 = zyx.scatter %x_f8E5M2, %low, %u_f8E5M2 combine "max" : tensor<6x4xf8E5M2>, tensor<9xi64>, tensor<9x4xf8E5M2> -> tensor<6x4xf8E5M2>
  %29 = zyx.scatter %x_f8E5M2, %u8, %u_f8E5M2 combine "min" : tensor<6x4xf8E5M2>, tensor<9xui8>, tensor<9x4xf8E5M2> -> tensor<6x4xf8E5M2>
  %30 = zyx.scatter %x_i8, %u8, %u_i8 combine "none" : tensor<6x4xi8>, tensor<9xui8>, tensor<9x4xi8> -> tensor<6x4xi8>
  %31 = zyx.scatter %x_i8, %low, %u_i8 combine "add" : tensor<6x4xi8>, tensor<9xi64>, tensor<9x4xi8> -> tensor<6x4xi8>
  %32 = zyx.scatter %x_i8, %i32, %u_i8 combine "mul" : tensor<6x4xi8>, tensor<9xi32>, tensor<9x4xi8> -> tensor<6x4xi8>
  %33 = zyx.scatter %x_i8, %low, %u_i8 combine "max" : tensor<6x4xi8>, tensor<9xi64>, tensor<9x4xi8> -> tensor<6x4xi8>
  %34 = zyx.scatter %x_i8, %u8, %u_i8 combine "min" : tensor<6x4xi8>, tensor<9xui8>, tensor<9x4xi8> -> tensor<6x4xi8>
  %35 = zyx.scatter %x_i16, %u8, %u_i16 combine "none" : tensor<6x4xi16>, tensor<9xui8>, tensor<9x4xi16> -> tensor<6x4xi16>
  %36 = zyx.scatter %x_i16, %low, %u_i16 combine "add" : tensor<6x4xi16>, tensor<9xi64>, tensor<9x4xi16> -> tensor<6x4xi16>
  %37 = zyx.scatter %x_i16, %i32, %u_i16 combine "mul" : tensor<6x4xi16>, tensor<9xi32>, tensor<9x4xi16> -> tensor<6x4xi16>
  %38 = zyx.scatter %x_i16, %low, %u_i16 combine "max" : tensor<6x4xi16>, tensor<9xi64>, tensor<9x4xi16> -> tensor<6x4xi16>
  %39 = zyx.scatter %x_i16, %u8, %u_i16 combine "min" : tensor<6x4xi16>, tensor<9xui8>, tensor<9x4xi16> -> tensor<6x4xi16>
  %40 = zyx.scatter %x_i32, %u8, %u_i32 combine "none" : tensor<6x4xi32>, tensor<9xui8>, tensor<9x4xi32> -> tensor<6x4xi32>
  %41 = zyx.scatter %x_i32, %low, %u_i32 combine "add" : tensor<6x4xi32>, tensor<9xi64>, tensor<9x4xi32> -> tensor<6x4xi32>
  %42 = zyx.scatter %x_i32, %i32, %u_i32 combine "mul" : tensor<6x4xi32>, tensor<9xi32>, tensor<9x4xi32> -> tensor<6x4xi32>
  %43 = zyx.scatter %x_i32, %low, %u_i32 combine "max" : tensor<6x4xi32>, tensor<9xi64>, tensor<9x4xi32> -> tensor<6x4xi32>
  %44 = zyx.scatter %x_i32, %u8, %u_i32 combine "min" : tensor<6x4xi32>, tensor<9xui8>, tensor<9x4xi32> -> tensor<6x4xi32>
  %45 = zyx.scatter %x_i64, %u8, %u_i64 combine "none" : tensor<6x4xi64>, tensor<9xui8>, tensor<9x4xi64> -> tensor<6x4xi64>
  %46 = zyx.scatter %x_i64, %low, %u_i64 combine "add" : tensor<6x4xi64>, tensor<9xi64>, tensor<9x4xi64> -> tensor<6x4xi64>
  %47 = zyx.scatter %x_i64, %i32, %u_i64 combine "mul" : tensor<6x4xi64>, tensor<9xi32>, tensor<9x4xi64> -> tensor<6x4xi64>
  %48 = zyx.scatter %x_i64, %low, %u_i64 combine "max" : tensor<6x4xi64>, tensor<9xi64>, tensor<9x4xi64> -> tensor<6x4xi64>
  %49 = zyx.scatter %x_i64, %u8, %u_i64 combine "min" : tensor<6x4xi64>, tensor<9xui8>, tensor<9x4xi64> -> tensor<6x4xi64>
  %50 = zyx.scatter %x_u8, %u8, %u_u8 combine "none" : tensor<6x4xui8>, tensor<9xui8>, tensor<9x4xui8> -> tensor<6x4xui8>
  %51 = zyx.scatter %x_u8, %low, %u_u8 combine "add" : tensor<6x4xui8>, tensor<9xi64>, tensor<9x4xui8> -> tensor<6x4xui8>
  %52 = zyx.scatter %x_u8, %i32, %u_u8 combine "mul" : tensor<6x4xui8>, tensor<9xi32>, tensor<9x4xui8> -> tensor<6x4xui8>
  %53 = zyx.scatter %x_u8, %low, %u_u8 combine "max" : tensor<6x4xui8>, tensor<9xi64>, tensor<9x4xui8> -> tensor<6x4xui8>
  %54 = zyx.scatter %x_u8, %u8, %u_u8 combine "min" : tensor<6x4xui8>, tensor<9xui8>, tensor<9x4xui8> -> tensor<6x4xui8>
  %55 = zyx.scatter %x_u16, %u8, %u_u16 combine "none" : tensor<6x4xui16>, tensor<9xui8>, tensor<9x4xui16> -> tensor<6x4xui16>
  %56 = zyx.scatter %x_u16, %low, %u_u16 combine "add" : tensor<6x4xui16>, tensor<9xi64>, tensor<9x4xui16> -> tensor<6x4xui16>
  %57 = zyx.scatter %x_u16, %i32, %u_u16 combine "mul" : tensor<6x4xui16>, tensor<9xi32>, tensor<9x4xui16> -> tensor<6x4xui16>
  %58 = zyx.scatter %x_u16, %low, %u_u16 combine "max" : tensor<6x4xui16>, tensor<9xi64>, tensor<9x4xui16> -> tensor<6x4xui16>
  %59 = zyx.scatter %x_u16, %u8, %u_u16 combine "min" : tensor<6x4xui16>, tensor<9xui8>, tensor<9x4xui16> -> tensor<6x4xui16>
  %60 = zyx.scatter %x_u32, %u8, %u_u32 combine "none" : tensor<6x4xui32>, tensor<9xui8>, tensor<9x4xui32> -> tensor<6x4xui32>
  %61 = zyx.scatter %x_u32, %low, %u_u32 combine "add" : tensor<6x4xui32>, tensor<9xi64>, tensor<9x4xui32> -> tensor<6x4xui32>
  %62 = zyx.scatter %x_u32, %i32, %u_u32 combine "mul" : tensor<6x4xui32>, tensor<9xi32>, tensor<9x4xui32> -> tensor<6x4xui32>
  %63 = zyx.scatter %x_u32, %low, %u_u32 combine "max" : tensor<6x4xui32>, tensor<9xi64>, tensor<9x4xui32> -> tensor<6x4xui32>
  %64 = zyx.scatter %x_u32, %u8, %u_u32 combine "min" : tensor<6x4xui32>, tensor<9xui8>, tensor<9x4xui32> -> tensor<6x4xui32>
  %65 = zyx.scatter %x_u64, %u8, %u_u64 combine "none" : tensor<6x4xui64>, tensor<9xui8>, tensor<9x4xui64> -> tensor<6x4xui64>
  %66 = zyx.scatter %x_u64, %low, %u_u64 combine "add" : tensor<6x4xui64>, tensor<9xi64>, tensor<9x4xui64> -> tensor<6x4xui64>
  %67 = zyx.scatter %x_u64, %i32, %u_u64 combine "mul" : tensor<6x4xui64>, tensor<9xi32>, tensor<9x4xui64> -> tensor<6x4xui64>
  %68 = zyx.scatter %x_u64, %low, %u_u64 combine "max" : tensor<6x4xui64>, tensor<9xi64>, tensor<9x4xui64> -> tensor<6x4xui64>
  %69 = zyx.scatter %x_u64, %u8, %u_u64 combine "min" : tensor<6x4xui64>, tensor<9xui8>, tensor<9x4xui64> -> tensor<6x4xui64>
  %70 = zyx.scatter %x_bool, %u8, %u_bool combine "none" : tensor<6x4xi1>, tensor<9xui8>, tensor<9x4xi1> -> tensor<6x4xi1>
  %71 = zyx.scatter %x_bool, %low, %u_bool combine "max" : tensor<6x4xi1>, tensor<9xi64>, tensor<9x4xi1> -> tensor<6x4xi1>
  %72 = zyx.scatter %x_bool, %u8, %u_bool combine "min" : tensor<6x4xi1>, tensor<9xui8>, tensor<9x4xi1> -> tensor<6x4xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xbf16>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf64>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E4M3FN>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xf8E5M2>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi8>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi16>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi32>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xi64>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui8>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui16>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xui64>, tensor<6x4xi1>, tensor<6x4xi1>, tensor<6x4xi1>
}
