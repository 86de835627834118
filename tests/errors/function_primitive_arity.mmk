// `max` takes two arguments.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = max(a @ b);
}
