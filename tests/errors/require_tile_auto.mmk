// Neither is that of a tile, whose size is known only when the kernel runs.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 128 | auto, N = 128;
    require tile.M * tile.N <= 16384;
  }
}
