// llvmpipe ends a thread after 65535 turns of its loops: what needs more is refused, what does not is right.
// REQUIRES: vulkan
// RUN: zyxc kernel check %s --target vulkan --dim N=3,K=1000000 --work 1e9 | FileCheck %s
// RUN: sh -c 'zyxc kernel check %s --target vulkan --dim N=3,K=1100000 --work 1e9; echo exit $?' 2>&1 | FileCheck %s --check-prefix=LONG
// CHECK: checked @product on vulkan: 1 size
// LONG: zyxc: error: {{.*}}@product N=3 K=1100000: product: up to 68{{[0-9]+}} turns of loops in one thread, this device ends threads after 65535 and loses the rest; take smaller sizes, or a GPU
// LONG-NEXT: exit 4
zyxk.kernel @product dims(N, K) ports(%x: in i8[N, K], %w: in i8[K, N], %y: out i32[N, N])
    axes(m < N, n < N, k < K) {
  %a = load %x[m, k] : i8
  %b = load %w[k, n] : i8
  %s = contract %a, %b over [k] : i8, i8 -> i32
  store %s, %y[m, n] : i32
}
