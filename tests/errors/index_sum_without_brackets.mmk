// The brackets say which variable is summed.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c[i, j] = sum(a[i, k] * b[k, j]);
}
