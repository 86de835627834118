// One alternative fits no tile at all.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile K = 64 | 128;
    stage K = 256 | 96;
  }
}
