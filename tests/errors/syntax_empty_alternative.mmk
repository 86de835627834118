// A bar needs an alternative on both sides.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    cores = 1 | ;
  }
}
