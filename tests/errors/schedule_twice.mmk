// Two schedules for the same machines.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule for ascend* { cores = 1; }
  schedule for ascend* { cores = 2; }
}
