// A factor that takes functions and is repeated along rows is evaluated once a task, when it is packed: the
// code is that of tiles. One that has all rows is not repeated: the code is not.
// RUN: zyxc kernel check %s --sizes 20 | FileCheck %s
// CHECK-COUNT-3: all agree with the interpreter
// RUN: zyxc kernel emit %s --kernel repeated --emit mlir --dim M=100,K=70 > %t.default
// RUN: zyxc kernel emit %s --kernel repeated --emit mlir --dim M=100,K=70 --schedule '#zyxk.contract<>' > %t.tiles
// RUN: diff %t.default %t.tiles
// RUN: zyxc kernel emit %s --kernel once --emit mlir --dim M=100,K=70 > %t.default
// RUN: zyxc kernel emit %s --kernel once --emit mlir --dim M=100,K=70 --schedule '#zyxk.contract<>' > %t.tiles
// RUN: not diff %t.default %t.tiles

// Two of them in one kernel.
// RUN: zyxc kernel emit %s --kernel two --emit mlir --dim M=100,K=70 > %t.default
// RUN: zyxc kernel emit %S/Inputs/two-vector-sums.mlir --emit mlir --dim M=100,K=70 > %t.sum
// RUN: diff %t.default %t.sum
zyxk.kernel @repeated dims(M, K) ports(%x: in f32[M, K], %v: in f32[K], %y: out f32[M]) axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %v[k] : f32
  %p = arith.mulf %a, %a : f32
  %g = scalar @sigmoid(%b) : f32
  %s = contract %p, %g over [k] : f32, f32 -> f32
  store %s, %y[i] : f32
}
zyxk.kernel @once dims(M, K) ports(%x: in f32[M, K], %v: in f32[K], %y: out f32[M]) axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %v[k] : f32
  %p = arith.mulf %b, %b : f32
  %g = scalar @sigmoid(%a) : f32
  %s = contract %g, %p over [k] : f32, f32 -> f32
  store %s, %y[i] : f32
}
zyxk.kernel @two dims(M, K) ports(%x: in f32[M, K], %v: in f32[K], %z: in f32[M, K], %y: out f32[M]) axes(i < M, k < K) {
  %a = load %x[i, k] : f32
  %b = load %v[k] : f32
  %c = load %z[i, k] : f32
  %s = contract %a, %b over [k] : f32, f32 -> f32
  %t = contract %c, %b over [k] : f32, f32 -> f32
  %r = arith.addf %s, %t : f32
  store %r, %y[i] : f32
}
