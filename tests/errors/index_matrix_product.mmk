// @ multiplies tensors, not elements.
kernel k(a: f16[N, N], b: f16[N, N]) -> c: f32[N, N] {
  c[i, j] = a[i, j] @ b[i, j];
}
