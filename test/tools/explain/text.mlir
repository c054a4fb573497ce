// The explanation as text: names of nodes, rules, rejected candidates, the certificate.
// RUN: zyxc explain %s | FileCheck %s
// RUN: zyxc explain %s --node scaled | FileCheck %s --check-prefix=NODE
// RUN: zyxc explain %s --node dead | FileCheck %s --check-prefix=DEAD
// RUN: zyxc explain %s --node known | FileCheck %s --check-prefix=KNOWN
// RUN: zyxc explain %s --node seen | FileCheck %s --check-prefix=SEEN
// RUN: zyxc explain %s --disable rules | FileCheck %s --check-prefix=PLAIN
// What run and compile print is the same.
// RUN: zyxc explain %s > %t.explain
// RUN: zyxc compile %s -o %t.zyxp --explain > %t.compile
// RUN: zyxc run %s --dump-after plan --quiet 2> %t.dump
// RUN: %python %S/Inputs/same_text.py %t.explain %t.compile %t.dump

// CHECK:      contract0_{{[0-9a-f]+}}: product + factors + scaled + shifted
// CHECK-NEXT:     cost {{[0-9.]+}} us, {{[0-9]+}} bytes, {{[0-9]+}} flops, 4 ports, {{[0-9]+}} values
// CHECK-NEXT:     reads constant {{c[0-9]+}} f32[1,8], x, constant {{c[0-9]+}} f32[16,8]
// CHECK-NEXT:     makes {{c[0-9]+}} f32[512,8]
// CHECK-NEXT:     rewritten product
// CHECK-NEXT:     by scale-contract
// CHECK-NEXT:     instead: {{[0-9.]+}} us for map kernel reading constant {{c[0-9]+}} f32[1,8], [[SCALED:c[0-9]+ f32\[512,8\]]]: {{[0-9.]+}} us more in all, with {{[0-9.]+}} us to make [[SCALED]]
// CHECK:          instead: {{.*}}: {{[1-9][0-9]*}} ps more in all
// CHECK:      total {{[0-9.]+}} us, lower bound {{[0-9.]+}} us, gap 0.000 us (proved optimal among these candidates; {{[0-9]+}} search nodes)
// CHECK-NEXT: table: {{[0-9]+}} candidates, {{[0-9]+}} programs, {{[0-9]+}} classes

// NODE:      node scaled (mul): computed by contract0_{{[0-9a-f]+}}
// NODE-NEXT: contract0_{{[0-9a-f]+}}: product + factors + scaled + shifted
// NODE:          mul(matmul(x, constant), {{.*}})
// NODE-NEXT:     = contract[{{.*}}](x, mul(constant, {{.*}}))
// NODE-NEXT:         by scale-contract, ?x = x, ?w = constant, ?s = 
// NODE:          instead: {{.*}} us for map kernel of factors + shifted reading
// NODE-NOT:  {{^}}map1_
// NODE:      total

// DEAD:     node dead (neg): no output needs it
// DEAD-NOT: contract0_
// KNOWN:    node known (exp): its value is known at compile time
// SEEN:     node seen (mul): its value is that of an input

// PLAIN:     {{^}}contract0_{{[0-9a-f]+}}: product + factors + scaled + shifted
// PLAIN-NOT: scale-contract
// PLAIN:     total
func.func @main(%x: tensor<512x16xf32> {zyx.name = "x"}) -> (tensor<512x8xf32> {zyx.name = "y"}, tensor<f32> {zyx.name = "z"}, tensor<512xf32> {zyx.name = "w"}) {
  %w = zyx.constant dense<[[-5.2, -1.2, 6.8, 6.7, -3.2, 6.1, 3.7, -9.8], [-1.4, 9.2, 1.1, -9.1, 8.1, 3.4, 4.1, 7.4], [5.8, 8.4, 2.4, -2.8, 0.1, 4.9, -6.3, 0.2], [1.9, 4.9, -3.5, 0.8, 7.7, 9.1, 6.4, 3.7], [-4.6, 8.6, -7.8, 7.2, -4.9, 3.6, 6.1, 6.1], [0.7, -4.3, 7.4, -9.4, 8.9, -2.7, 7.6, 9.6], [5.5, 8.1, 3.9, -5.9, 8.4, 4.1, 6.6, 9.9], [-3.9, 4.8, 2.7, 2.1, 8.9, 1.8, -9.4, -4.9], [9.3, -7.9, -1.1, -7.2, -9.8, -9.5, -2.5, -6.3], [2.5, -7.3, -4.5, 7.3, -1.5, 5.6, 6.8, -6.1], [0.7, 1.7, -3.5, -6.5, 7.4, 4.1, -2.1, 3.3], [-8.3, 5.9, 4.9, -2.9, 5.4, 7.1, 3.6, 4.1], [0.3, -3.1, 0.2, -7.5, 0.3, 4.5, -5.1, 8.1], [9.4, 9.8, -4.9, -8.7, -3.6, -6.4, 9.7, 9.4], [6.2, 3.5, 7.8, -9.6, 3.5, -9.3, -3.6, 9.3], [1.7, -3.5, -6.7, 8.6, 8.8, 8.4, -7.1, -7.3]]> : tensor<16x8xf32>
  %s = zyx.constant dense<[[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]]> : tensor<1x8xf32>
  %0 = zyx.matmul %x, %w : tensor<512x16xf32>, tensor<16x8xf32> -> tensor<512x8xf32> loc("product")
  %e = zyx.expand %s [512, 8] : tensor<1x8xf32> -> tensor<512x8xf32> loc("factors")
  %1 = zyx.mul %0, %e : tensor<512x8xf32>, tensor<512x8xf32> -> tensor<512x8xf32> loc("scaled")
  %2 = zyx.add %1, %e : tensor<512x8xf32>, tensor<512x8xf32> -> tensor<512x8xf32> loc("shifted")
  %3 = zyx.neg %x : tensor<512x16xf32> -> tensor<512x16xf32> loc("dead")
  %c = zyx.constant dense<0.0> : tensor<f32>
  %4 = zyx.exp %c : tensor<f32> -> tensor<f32> loc("known")
  %one = zyx.constant dense<1.0> : tensor<512x16xf32>
  %5 = zyx.mul %x, %one : tensor<512x16xf32>, tensor<512x16xf32> -> tensor<512x16xf32> loc("seen")
  %6 = zyx.reduce_sum %5 over [1] : tensor<512x16xf32> -> tensor<512xf32> loc("sum")
  return %2, %4, %6 : tensor<512x8xf32>, tensor<f32>, tensor<512xf32>
}
