// It is called select here.
kernel clip(x: f32[N]) -> y: f32[N] {
  y = where(x > 0, x, 0);
}
