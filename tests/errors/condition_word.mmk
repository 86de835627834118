// Conditions are joined by signs.
kernel clip(x: f32[N]) -> y: f32[N] {
  y = select(x > 0 and x < 1, x, 0);
}
