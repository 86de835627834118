// Alternatives are joined by a bar, not by a comma.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    cores = 1, 2, 4;
  }
}
