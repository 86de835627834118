// The right side must be transposed.
kernel gemm(a: f16[M, K], b: f16[N, K]) -> c: f32[M, N] {
  c = a @ b;
}
