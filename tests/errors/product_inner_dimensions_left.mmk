// The left side must be transposed.
kernel gemm(a: f16[K, M], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
}
