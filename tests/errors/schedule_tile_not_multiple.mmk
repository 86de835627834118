// The cube works on blocks of 16.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 100, K = 48;
  }
}
