// Numbers are no conditions.
kernel k(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c[i, j] = a[i, 0] && b[0, j];
}
