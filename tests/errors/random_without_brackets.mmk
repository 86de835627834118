// A single number would be a constant.
kernel k(x: f32[M], seed: i32) -> y: f32[M] {
  y = x * random(seed);
}
