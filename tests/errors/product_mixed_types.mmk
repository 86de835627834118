// The cube multiplies one type by the same.
kernel gemm(a: f16[M, K], b: bf16[K, N]) -> c: f32[M, N] {
  c = a @ b;
}
