// The kernel has no operand x.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    buffers l1.x = 2;
  }
}
