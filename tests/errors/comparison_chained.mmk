// The second comparison would compare the result of the first.
kernel k(a: f32[N]) -> c: f32[N] {
  c = select(0 < a < 1, a, 0);
}
