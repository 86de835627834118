// The comment has no end.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  /* the product
  c = a @ b;
}
