// '!' is of conditions.
kernel clip(x: f32[N], mask: i8[N]) -> y: f32[N] {
  y = select(!mask, x, 0);
}
