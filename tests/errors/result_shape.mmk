// The transposed product has another shape than the result.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = transpose(a @ b);
}
