// RUN: zyx-opt %s --zyxk-lower-gpu=target=sm_90a | FileCheck %s

// 160 KB a row, which waits in workgroup memory if asked for. The exponentials take the place of what they are made
// of, chunk by chunk, and a thread reads what it wrote: no barrier beside those of the reductions.
// CHECK-LABEL: gpu.func @staged(
// CHECK-SAME: zyxk.shared_bytes = 163840
// CHECK: gpu.dynamic_shared_memory
// CHECK: scf.for
// CHECK-COUNT-4: vector.load {{.*}}#gpu.address_space<global>
// CHECK-COUNT-4: vector.store {{.*}}#gpu.address_space<workgroup>
// CHECK: gpu.barrier
// CHECK-NOT: vector.load {{.*}}#gpu.address_space<global>
// CHECK: scf.for
// CHECK-COUNT-4: vector.load {{.*}}#gpu.address_space<workgroup>
// CHECK: math.exp
// CHECK-COUNT-4: vector.store {{.*}}#gpu.address_space<workgroup>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-NOT: math.exp
// CHECK-NOT: vector.load {{.*}}#gpu.address_space<global>
// CHECK: gpu.return
zyxk.kernel @staged ports(%x: in f32[1000, 40000], %y: out f32[1000, 40000])
    axes(r < 1000, n < 40000) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
} schedule #zyxk.row<hold = smem>

// Longer rows: maximum and sum in one sweep, rescaled once for each group in flight.
// CHECK-LABEL: gpu.func @online(
// CHECK-NOT: zyxk.shared_bytes
// CHECK: scf.for {{.*}} -> (f32, f32)
// CHECK-COUNT-4: vector.load
// CHECK: math.exp {{.*}} : f32
// CHECK-COUNT-4: math.exp {{.*}} : vector<4xf32>
// CHECK: scf.for {{.*}} {
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-4: vector.store
zyxk.kernel @online ports(%x: in f32[1000, 262144], %y: out f32[1000, 262144])
    axes(r < 1000, n < 262144) {
  %a = load %x[r, n] : f32
  %m = reduce max %a over [n] : f32
  %d = arith.subf %a, %m : f32
  %e = math.exp %d : f32
  %s = reduce add %e over [n] : f32
  %q = arith.divf %e, %s : f32
  store %q, %y[r, n] : f32
}

// Few long rows of which nothing but a maximum and a sum is stored: workgroups share them.
// CHECK-LABEL: gpu.module @shared
// CHECK-SAME: zyxk.scratch_bytes = {{[1-9]}}
// CHECK: gpu.func @shared(
// CHECK: gpu.func @shared_1(
zyxk.kernel @shared ports(%x: in f32[4, 1048576], %y: out f32[4]) axes(r < 4, n < 1048576) {
  %a = load %x[r, n] : f32
  %m, %l = expsum %a over [n] weights(unit) : f32
  %g = math.log %l : f32
  %z = arith.addf %m, %g : f32
  store %z, %y[r] : f32
}
