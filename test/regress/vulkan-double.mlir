// A function that Vulkan has not in f64 is unsupported (4), not a bug of zyxc.
// RUN: sh -c 'zyxc kernel emit %s --target vulkan --emit spirv --dim N=8; test $? = 4' 2>&1 | FileCheck %s
// RUN: sh -c 'zyxc kernel check %s --target vulkan --compile-only --sizes 2; test $? = 4' 2>&1 | FileCheck %s
// RUN: zyxc kernel check %s --sizes 4
// CHECK: error: {{.*}}kernel cannot be compiled for Vulkan: {{.*}}Vulkan has no such function in f64: compute it in f32
zyxk.kernel @double dims(N) ports(%x: in f64[N], %y: out f64[N]) axes(i < N) {
  %a = load %x[i] : f64
  %e = math.exp %a : f64
  store %e, %y[i] : f64
}
