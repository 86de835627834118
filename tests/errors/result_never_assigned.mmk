// The kernel promises a result and gives none.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let x = a @ b;
}
