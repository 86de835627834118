// No transposition of either side makes these fit.
kernel gemm(a: f16[M, K], b: f16[P, N]) -> c: f32[M, N] {
  c = a @ b;
}
