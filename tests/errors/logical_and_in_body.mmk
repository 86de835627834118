// Only comparisons are joined.
kernel k(a: f32[N]) -> c: f32[N] {
  c = select(a && a < 1, a, 0);
}
