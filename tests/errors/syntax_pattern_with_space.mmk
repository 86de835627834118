// A machine pattern is one word.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule for ascend *b { cores = 1; }
}
