// select chooses by a comparison.
kernel k(a: f32[N]) -> c: f32[N] {
  c = select(a, 1, 0);
}
