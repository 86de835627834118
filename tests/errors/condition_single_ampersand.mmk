// Conditions are joined by two.
kernel clip(x: f32[N]) -> y: f32[N] {
  y = select(x > 0 & x < 1, x, 0);
}
