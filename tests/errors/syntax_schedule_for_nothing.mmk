// `for` needs a machine pattern.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule for { cores = 1; }
}
