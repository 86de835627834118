// Comparisons are not joined in a body.
kernel k(a: f32[N]) -> c: f32[N] {
  c = select(a > 0 && a < 1, a, 0);
}
