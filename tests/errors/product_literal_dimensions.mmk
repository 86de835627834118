// 63 is not 64.
kernel gemm(a: f16[M, 64], b: f16[63, N]) -> c: f32[M, N] {
  c = a @ b;
}
