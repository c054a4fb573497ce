// Divides by zero somewhere: one random divisor of 201 is.
zyxk.kernel @zero ports(%x, %z: in i32[4096], %y: out i32[4096]) axes(i < 4096) {
  %a = load %x[i] : i32
  %b = load %z[i] : i32
  %c = arith.divsi %a, %b : i32
  store %c, %y[i] : i32
}
