// Only the inner dimension is read in stages.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    stage M = 256;
  }
}
