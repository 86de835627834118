// Cores are a number, or auto.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule {
    cores = all;
  }
}
