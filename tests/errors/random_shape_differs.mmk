// One number for each column does not stretch along rows of another dimension.
kernel noise(x: f32[M, N]) -> y: f32[M, N] {
  y = x + random[M](1);
}
