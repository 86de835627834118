// The result of any is a comparison.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = any[N](a > 0);
}
