// A buffer has at most eight copies.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    buffers l1 = 9;
  }
}
