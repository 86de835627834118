// any is of comparisons.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = select(any[N](a), 1, 0);
}
