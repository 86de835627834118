// The rule reads a tile in no dimension.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64, N = 64;
    require tile.Q <= 64;
  }
}
