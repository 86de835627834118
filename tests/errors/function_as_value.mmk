// A function is not a value; it must be called.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = relu + a @ b;
}
