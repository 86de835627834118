// One kernel has one tolerance.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  check { rtol = 1e-3; }
  check { atol = 1e-3; }
}
