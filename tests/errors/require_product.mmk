// Rules multiply numbers with `*`.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64, N = 64;
    require tile.M @ tile.N <= 64;
  }
}
