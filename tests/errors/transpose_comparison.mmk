// Comparisons have no transpose.
kernel k(a: f32[M, N]) -> c: f32[N, M] {
  c = select(transpose(a > 0), 1, 0);
}
