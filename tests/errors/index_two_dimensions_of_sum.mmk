// The inner dimensions differ.
kernel k(a: f16[M, K], b: f16[L, N]) -> c: f32[M, N] {
  c[i, j] = sum[k](a[i, k] * b[k, j]);
}
