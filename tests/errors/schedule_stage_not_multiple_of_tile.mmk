// A stage is moved as whole tiles.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile K = 64 | 32;
    stage K = 96 | 128;
  }
}
