// An i32 holds no fraction.
kernel k(x: f32[H], seed: i32 = 0.5) -> y: f32[H] {
  y = seed * x;
}
