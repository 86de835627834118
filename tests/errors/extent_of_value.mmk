// An extent is of a dimension.
kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = a / extent(a);
}
