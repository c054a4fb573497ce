// The second operand of a product in panels of 16 columns, packed by a kernel of its own.
// RUN: zyx-opt %s --zyxk-pack-port="port=1 axis=1 block=16" | FileCheck %s
// RUN: not zyx-opt %s --zyxk-pack-port="port=2" 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: port 2 cannot be packed: it must be an in port of static shape without a layout, with an axis 0
// CHECK: zyxk.kernel @matmul_pack ports(%in0: in f32[64, 40], %out1: out f32[64, 40] layout(_0, _1 -> (_1 floordiv 16) * 1024 + _0 * 16 + _1 mod 16) align 64) axes(i0 < 64, i1 < 40) {
// CHECK: zyxk.kernel @matmul_packed
// CHECK-SAME: %in1: in f32[64, 40] layout(_0, _1 -> (_1 floordiv 16) * 1024 + _0 * 16 + _1 mod 16) align 64
// CHECK: zyxk.program @matmul ports(%in0: in f32[32, 64], %in1: in f32[64, 40], %out2: out f32[32, 40], %scratch3: scratch f32[64, 40] layout
// CHECK-NEXT: launch @matmul_pack(%in1, %scratch3)
// CHECK-NEXT: launch @matmul_packed(%in0, %scratch3, %out2)
zyxk.kernel @matmul ports(%x: in f32[32, 64], %w: in f32[64, 40], %y: out f32[32, 40]) axes(i < 32, j < 40, k < 64) {
  %a = load %x[i, k] : f32
  %b = load %w[k, j] : f32
  %c = contract %a, %b over [k] : f32, f32 -> f32
  store %c, %y[i, j] : f32
}
