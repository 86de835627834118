// A tile has a size above zero.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = -16 | 0;
  }
}
