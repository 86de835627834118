// f32 has not all integers beyond 2^24: warnings where such a one is added to a float, or compared.
kernel k(x: i32[N], b: i8[N], s: f32[N], n: i32 = 5) -> y: f32[N], z: f32[N], u: f32[N] {
  y = x + s;
  z = select(s < n, x * s, b + s);
  u = cast<f32>(n) - s + (x % 1000 + 0.5) + 3 * s;
}
