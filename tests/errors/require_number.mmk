// A rule is a condition, not a number.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64;
    require tile.M * 2;
  }
}
