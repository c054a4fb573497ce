zyxk.kernel @product ports(%a: in f32[64, 64], %b: in f32[64, 64], %c: out f32[64, 64])
    axes(i < 64, j < 64, k < 64) {
  %zero = arith.constant 0.0 : f32
  %x = load %a[i + 4294967296, k] oob else(%zero) : f32
  %w = load %b[k, j] : f32
  %s = contract %x, %w over [k] : f32, f32 -> f32
  store %s, %c[i, j] : f32
} schedule #zyxk.mma<unit = fma>
