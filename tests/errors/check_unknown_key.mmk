// There is no such tolerance.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  check { rtl = 1e-3; tolerance = 1; }
}
