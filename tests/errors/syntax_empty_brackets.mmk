// Brackets name a dimension.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = sum[](a);
}
