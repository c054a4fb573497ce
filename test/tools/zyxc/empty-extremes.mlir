// Extremes over an axis that is empty at run time are those of no elements, in every float type.
// RUN: zyxc verify %s --open | FileCheck %s
// RUN: zyxc verify %s --open --dim N=0 | FileCheck %s
// CHECK: all agree
func.func @main(%x: tensor<3x?xf8E4M3FN, #zyx.dims<"N">>, %y: tensor<3x?xf8E5M2, #zyx.dims<"N">>, %z: tensor<3x?xbf16, #zyx.dims<"N">>, %u: tensor<3x?xui8, #zyx.dims<"N">>)
    -> (tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<3xf8E5M2>, tensor<3xbf16>, tensor<3xui8>, tensor<3xui8>) {
  %0 = zyx.reduce_max %x over [1] : tensor<3x?xf8E4M3FN, #zyx.dims<"N">> -> tensor<3xf8E4M3FN>
  %1 = zyx.reduce_min %x over [1] : tensor<3x?xf8E4M3FN, #zyx.dims<"N">> -> tensor<3xf8E4M3FN>
  %2 = zyx.reduce_max %y over [1] : tensor<3x?xf8E5M2, #zyx.dims<"N">> -> tensor<3xf8E5M2>
  %3 = zyx.reduce_min %z over [1] : tensor<3x?xbf16, #zyx.dims<"N">> -> tensor<3xbf16>
  %4 = zyx.reduce_max %u over [1] : tensor<3x?xui8, #zyx.dims<"N">> -> tensor<3xui8>
  %5 = zyx.reduce_min %u over [1] : tensor<3x?xui8, #zyx.dims<"N">> -> tensor<3xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<3xf8E5M2>, tensor<3xbf16>, tensor<3xui8>, tensor<3xui8>
}
