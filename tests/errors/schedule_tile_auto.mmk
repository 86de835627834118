// The depth of one step of a product does not depend on its result.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    tile M = auto, N = auto, K = auto;
  }
}
