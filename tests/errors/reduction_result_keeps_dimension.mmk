// The result has a dimension that was reduced.
kernel k(a: f32[M, N]) -> c: f32[N] {
  c = sum[N](a);
}
