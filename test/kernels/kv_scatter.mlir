// New keys and values go to their slots of a cache: a coordinate of a store is a value.
// RUN: zyxc kernel check %s | FileCheck %s
// CHECK: checked @kv_scatter on host: {{.*}} all agree
zyxk.kernel @kv_scatter dims(T, L, H, D)
    ports(%k, %v: in f16[T, H, D], %slot: in i64[T], %K, %V: inout f16[L, H, D])
    axes(t < T, h < H, d < D) assume(T <= L) {
  %s = load %slot[t] : i64
  %p = arith.index_cast %s : i64 to index
  %a = load %k[t, h, d] : f16
  %b = load %v[t, h, d] : f16
  store %a, %K[%p, h, d] : f16
  store %b, %V[%p, h, d] : f16
}
