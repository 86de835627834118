// A result is written in each call.
kernel gemm(a: f32[M, K], w: const f32[K, N]) -> c: const f32[M, N] {
  c = a @ w;
}
