// The default variant must satisfy the rules.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 256 | 128, N = 256;
    require tile.M * tile.N <= 32768;
  }
}
