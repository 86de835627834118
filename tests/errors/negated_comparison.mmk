// Comparisons are not negated.
kernel k(a: f32[N]) -> c: f32[N] {
  c = select(!(a > 0), a, 0);
}
