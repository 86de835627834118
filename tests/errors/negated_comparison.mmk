// Only comparisons are negated.
kernel k(a: f32[N]) -> c: f32[N] {
  c = select(!a, a, 0);
}
