// Brackets hold names.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = sum[1](a);
}
