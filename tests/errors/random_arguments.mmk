// A seed is all that it takes.
kernel k(x: f32[M], seed: i32) -> y: f32[M] {
  y = x * random[M](seed, 2);
}
