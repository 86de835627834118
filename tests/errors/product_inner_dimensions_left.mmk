// The left side lies the wrong way round.
kernel gemm(a: f16[K, M], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
}
