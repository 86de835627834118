// There are four orders of the tiles.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    order = spiral | swizzle(0);
  }
}
