// What is computed never depends on the schedule.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b * tile.M;
}
