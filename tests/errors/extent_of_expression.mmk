// An extent is of one dimension, by its name.
kernel k(a: f32[M, N]) -> c: f32[M, N] {
  c = a / extent(M * N);
}
