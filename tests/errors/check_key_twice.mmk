// A tolerance is given once.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  check { rtol = 1; rtol = 2; }
}
