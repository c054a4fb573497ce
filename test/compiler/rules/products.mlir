// Products that share an operand are joined over concatenated parameters, all of them at once.
// Chains of products are multiplied in the order with the least work.
// RUN: zyxc run %s --numerics algebra --stop-after rules --dump-after rules --explain-rules 2>&1 | FileCheck %s
// RUN: zyxc run %s --numerics exact --stop-after rules --dump-after rules 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: zyxc verify %s --numerics algebra
// RUN: zyxc verify %s --numerics exact

// CHECK-DAG: join-products-left: 3 matches, 5 unions
// CHECK-DAG: join-sums: 1 matches, 2 unions
// CHECK-DAG: join-products-right: 1 matches, 2 unions
// CHECK-DAG: chain-left-int: 1 matches, 1 unions
// CHECK-DAG: chain-right-int: 1 matches, 1 unions
// CHECK-DAG: chain-left: {{[1-9]}} matches, {{[1-9]}}
// CHECK-DAG: chain-right: {{[1-9]}} matches, {{[1-9]}}

// EXACT-DAG: join-products-left: 3 matches
// EXACT-DAG: join-sums: 1 matches, 2 unions
// EXACT-DAG: chain-left-int: 1 matches
// EXACT-NOT: chain-left:
// EXACT-NOT: chain-right:
func.func @main(%x: tensor<4x8xf32> {zyx.name = "x"}, %a: tensor<20x2xf32> {zyx.name = "a"}, %b: tensor<2x20xf32> {zyx.name = "b"},
                %c: tensor<20x1xf32> {zyx.name = "c"}, %r: tensor<1x20xf32> {zyx.name = "r"}, %i: tensor<9x2xi32> {zyx.name = "i"},
                %j: tensor<2x9xi32> {zyx.name = "j"}, %k: tensor<9x1xi32> {zyx.name = "k"}, %l: tensor<1x9xi32> {zyx.name = "l"}, %z: tensor<5x7xf32> {zyx.name = "z"})
    -> (tensor<4x3xf32> {zyx.name = "q"}, tensor<4x5xf32> {zyx.name = "k"}, tensor<4x3xf32> {zyx.name = "v"}, tensor<2x8xf32> {zyx.name = "s"},
        tensor<3x8xf32> {zyx.name = "t"}, tensor<20x1xf32> {zyx.name = "left"}, tensor<1x20xf32> {zyx.name = "right"},
        tensor<9x1xi32> {zyx.name = "lefti"}, tensor<1x9xi32> {zyx.name = "righti"}, tensor<5x3xf32> {zyx.name = "sum"}, tensor<5x2xf32> {zyx.name = "sum2"}) {
  %u = zyx.constant dense<0.5> : tensor<8x3xf32>
  %v = zyx.constant dense<0.25> : tensor<8x5xf32>
  %w = zyx.constant dense<2.0> : tensor<8x3xf32>
  %0 = zyx.contract %x [0, 1], %u [1, 2] -> [0, 2] in f32 to f32 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %1 = zyx.contract %x [0, 1], %v [1, 2] -> [0, 2] in f32 to f32 : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %2 = zyx.contract %x [0, 1], %w [1, 2] -> [0, 2] in f32 to f32 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  // Parameters on the left.
  %m = zyx.constant dense<0.5> : tensor<2x4xf32>
  %n = zyx.constant dense<3.0> : tensor<3x4xf32>
  %3 = zyx.contract %m [0, 1], %x [1, 2] -> [0, 2] in f32 to f32 : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  %4 = zyx.contract %n [0, 1], %x [1, 2] -> [0, 2] in f32 to f32 : tensor<3x4xf32>, tensor<4x8xf32> -> tensor<3x8xf32>
  // (a b) c = a (b c), and r (a b) = (r a) b.
  %5 = zyx.contract %a [0, 1], %b [1, 2] -> [0, 2] in f32 to f32 : tensor<20x2xf32>, tensor<2x20xf32> -> tensor<20x20xf32>
  %6 = zyx.contract %5 [0, 1], %c [1, 2] -> [0, 2] in f32 to f32 : tensor<20x20xf32>, tensor<20x1xf32> -> tensor<20x1xf32>
  %7 = zyx.contract %r [0, 1], %5 [1, 2] -> [0, 2] in f32 to f32 : tensor<1x20xf32>, tensor<20x20xf32> -> tensor<1x20xf32>
  %8 = zyx.contract %i [0, 1], %j [1, 2] -> [0, 2] in i32 to i32 : tensor<9x2xi32>, tensor<2x9xi32> -> tensor<9x9xi32>
  %9 = zyx.contract %8 [0, 1], %k [1, 2] -> [0, 2] in i32 to i32 : tensor<9x9xi32>, tensor<9x1xi32> -> tensor<9x1xi32>
  %10 = zyx.contract %l [0, 1], %8 [1, 2] -> [0, 2] in i32 to i32 : tensor<1x9xi32>, tensor<9x9xi32> -> tensor<1x9xi32>
  // Products with biases.
  %e = zyx.constant dense<0.5> : tensor<7x3xf32>
  %f = zyx.constant dense<1.5> : tensor<7x2xf32>
  %g = zyx.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %h = zyx.constant dense<[[4.0, 5.0]]> : tensor<1x2xf32>
  %11 = zyx.contract %z [0, 1], %e [1, 2] -> [0, 2] in f32 to f32 : tensor<5x7xf32>, tensor<7x3xf32> -> tensor<5x3xf32>
  %12 = zyx.contract %z [0, 1], %f [1, 2] -> [0, 2] in f32 to f32 : tensor<5x7xf32>, tensor<7x2xf32> -> tensor<5x2xf32>
  %13 = zyx.expand %g [5, 3] : tensor<1x3xf32> -> tensor<5x3xf32>
  %14 = zyx.expand %h [5, 2] : tensor<1x2xf32> -> tensor<5x2xf32>
  %15 = zyx.add %11, %13 : tensor<5x3xf32>, tensor<5x3xf32> -> tensor<5x3xf32>
  %16 = zyx.add %12, %14 : tensor<5x2xf32>, tensor<5x2xf32> -> tensor<5x2xf32>
  return %0, %1, %2, %3, %4, %6, %7, %9, %10, %15, %16 : tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<2x8xf32>, tensor<3x8xf32>, tensor<20x1xf32>, tensor<1x20xf32>, tensor<9x1xi32>, tensor<1x9xi32>, tensor<5x3xf32>, tensor<5x2xf32>
}
