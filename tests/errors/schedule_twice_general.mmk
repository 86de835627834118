// Two schedules for every machine.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule { cores = 1; }
  schedule { cores = 2; }
}
