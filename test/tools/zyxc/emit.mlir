// Each form of a model on its way to a plan, on standard output, alone.
// RUN: zyxc compile %s --emit=zyx | FileCheck %s --check-prefix=ZYX
// ZYX: {{^}}module {
// ZYX: zyx.exp
// ZYX: zyx.neg
// RUN: zyxc compile %s --emit=egraph | FileCheck %s --check-prefix=EGRAPH
// EGRAPH: saturated
// EGRAPH: zyx.exp
// RUN: zyxc compile %s --emit=egraph --disable=rules | FileCheck %s --check-prefix=NORULES
// NORULES-NOT: saturated
// NORULES: zyx.exp
// RUN: zyxc compile %s --emit=zyxk | FileCheck %s --check-prefix=ZYXK
// ZYXK: zyxk.kernel @
// RUN: zyxc compile %s --emit=mlir | FileCheck %s --check-prefix=MLIR
// MLIR: func.func @map0
// MLIR: memref
// RUN: zyxc compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: target triple
// LLVM: define void @map0
// RUN: zyxc compile %s --emit=asm --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=ASM
// ASM: map0{{.*}}:
// ASM-NOT: zmm
// RUN: zyxc compile %s --emit=asm --target=cpu:x86-64-v4 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=BOTH
// BOTH: # target cpu:x86-64-v4
// BOTH: # target cpu:x86-64-v3
// RUN: zyxc compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// PLAN: {{^}}input 0 arg0: f32[64,64]
// PLAN: steps:
// PLAN-NEXT: map0_{{[0-9a-f]*}}(input0+0:16384, output0+0:16384)  // emit.mlir:

// The form and the file at once.
// RUN: zyxc compile %s --emit=plan -o %t.zyxp | FileCheck %s --check-prefix=PLAN
// RUN: zyxc-run %t.zyxp --quiet | FileCheck %s --check-prefix=RAN
// RAN: load: {{.*}} 1 kernels

// RUN: sh -c 'zyxc compile %s --emit=ptx; echo exit $?' 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: zyxc: error: --emit=ptx: code for cpu has no such form: it has zyx, egraph, zyxk, mlir, llvm, asm, plan
// PTX-NEXT: exit 2
// RUN: sh -c 'zyxc compile %s --emit=wasm; echo exit $?' 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: zyxc: error: --emit=wasm: use zyx, egraph, zyxk, mlir, llvm, asm, plan
// FORM-NEXT: exit 2
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = zyx.exp %a : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = zyx.neg %0 : tensor<64x64xf32> -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
