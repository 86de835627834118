// A result does not sum what does not fit.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[N] {
  c = a @ b;
}
