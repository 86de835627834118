// An alternative is listed twice.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = 64 | 128 | 064;
  }
}
