// A named condition is not stored either.
kernel clip(x: f32[N]) -> y: i8[N] {
  let positive = x > 0;
  y = positive;
}
