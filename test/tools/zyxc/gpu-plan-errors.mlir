// What a GPU cannot do is refused when it is compiled: one line with target and node.
// RUN: sh -c 'zyxc compile %s -o %t.zyxp --target=vulkan:1.2; echo exit $?' 2>&1 | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: zyxc: error: {{.*}}gpu-plan-errors.mlir: --target=vulkan:1.2: gpu-plan-errors.mlir:[[#@LINE+20]]:8: kernel cannot be compiled for Vulkan: Vulkan has no such function in f64: compute it in f32 (kernel {{.*}}): compile it for cpu
// DOUBLE-NEXT: exit 4
// RUN: sh -c 'zyxc compile %s -o %t.zyxp --target=vulkan; echo exit $?' 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: zyxc: error: --target=vulkan: name the version of Vulkan: vulkan:1.2, which later ones run, too
// VERSION-NEXT: exit 2
// RUN: sh -c 'zyxc compile %s -o %t.zyxp --target=cuda:sm_1; echo exit $?' 2>&1 | FileCheck %s --check-prefix=ARCH
// ARCH: zyxc: error: --target=cuda:sm_1: name the architecture of the GPU, such as cuda:sm_90 (known are sm_75, {{.*}}sm_120)
// ARCH-NEXT: exit 2
// RUN: sh -c 'zyxc run %s --target=cuda --simulate; echo exit $?' 2>&1 | FileCheck %s --check-prefix=SIMULATE
// SIMULATE: zyxc: error: --simulate: name the NVIDIA GPU that is simulated: --target=cuda:sm_90
// SIMULATE-NEXT: exit 2
// RUN: sh -c 'zyxc run %s --validate; echo exit $?' 2>&1 | FileCheck %s --check-prefix=VALIDATE
// VALIDATE: zyxc: error: --validate: it is for --target=vulkan
// VALIDATE-NEXT: exit 2

// Sizes are fixed.
// RUN: sh -c 'zyxc compile %S/symbolic-sizes.mlir -o %t.zyxp --target=vulkan:1.2; echo exit $?' 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: zyxc: error: {{.*}}symbolic-sizes.mlir: --target=vulkan:1.2: code for GPUs needs sizes: give them, --dim {{.*}}=SIZE, or compile for cpu
// OPEN-NEXT: exit 4
func.func @main(%x: tensor<8xf64>) -> tensor<8xf64> {
  %0 = zyx.exp %x : tensor<8xf64> -> tensor<8xf64>
  return %0 : tensor<8xf64>
}
