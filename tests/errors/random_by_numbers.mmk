// Places are those of dimensions.
kernel noise(x: f32[M, N]) -> y: f32[M, N] {
  y = x + random[64, 64](1);
}
