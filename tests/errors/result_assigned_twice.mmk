// A result is assigned once.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  c = relu(a @ b);
}
