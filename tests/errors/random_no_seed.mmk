// The seed is a parameter or a number.
kernel noise(x: f32[M, N]) -> y: f32[M, N] {
  y = x + random[M, N]();
}
