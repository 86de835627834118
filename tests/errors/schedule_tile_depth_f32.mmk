// For f32 the cube is 8 deep.
kernel gemm(a: f32[M, K], b: f32[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile K = 20 | 24;
  }
}
