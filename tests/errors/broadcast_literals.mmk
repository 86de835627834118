// 16 does not stretch to 32; only 1 does.
kernel k(a: f32[M, 16], b: f32[32]) -> c: f32[M, 32] {
  c = a * b;
}
