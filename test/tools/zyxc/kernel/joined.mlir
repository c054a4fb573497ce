// Values that `combine add` joins are rounded to the port's type one by one, in another order on each
// target: what is allowed counts them.
// RUN: zyxc kernel check %s --dim N=30000,V=2 | FileCheck %s
// RUN: zyxc kernel check %s --dim N=30000,V=2 --threads 2 | FileCheck %s
// RUN: zyxc kernel check %s --dim N=3000,V=2 --target sm_90a --simulate | FileCheck %s
// CHECK: checked @histogram on {{.*}}: all agree
zyxk.kernel @histogram dims(N, V) ports(%to: in i64[N], %x: in f16[N], %y: inout f16[V])
    axes(n < N) {
  %a = load %x[n] : f16
  %t = load %to[n] : i64
  %v = arith.index_cast %t : i64 to index
  store %a, %y[%v] combine add : f16
}
