// Brackets stand before the argument of a reduction.
kernel k(a: f32[M, N]) -> c: f32[M] {
  c = sum[N] a;
}
