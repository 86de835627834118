// A value never changes anyway.
kernel scaled(x: f32[N]) -> y: f32[N] {
  const two = 2;
  y = two * x;
}
