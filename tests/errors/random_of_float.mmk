// A seed is a whole number.
kernel k(x: f32[M], seed: f32) -> y: f32[M] {
  y = x * random[M](seed) + random[M](0.5);
}
