// The forms of a kernel on its way to an NVIDIA GPU.
// RUN: zyxc kernel emit %s --target sm_90a --emit mlir | FileCheck %s --check-prefix=MLIR
// RUN: zyxc kernel emit %s --target sm_90a --emit llvm | FileCheck %s --check-prefix=LLVM
// RUN: zyxc kernel emit %s --target sm_90a --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: not zyxc kernel emit %s --target sm_90a --emit spirv 2>&1 | FileCheck %s --check-prefix=FORM
// MLIR: gpu.func @scale
// LLVM: define ptx_kernel void @scale(ptr addrspace(1) noalias readonly
// A row of four floats a thread: one access each.
// PTX: .target sm_90a
// PTX: .visible .entry scale
// PTX: ld.global.nc.v4.b32
// PTX: mul.rn.f32
// PTX: st.global.v4.b32
// FORM: --emit=spirv: a CUDA architecture has zyxk, mlir, llvm, ptx, sass
zyxk.kernel @scale ports(%x: in f32[65536], %y: out f32[65536]) axes(i < 65536) {
  %half = arith.constant 0.5 : f32
  %a = load %x[i] : f32
  %b = arith.mulf %a, %half : f32
  store %b, %y[i] : f32
}
