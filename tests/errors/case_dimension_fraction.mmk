// A dimension is a whole number.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  case S { M = 1e3; K = 1.5; N = 1; }
}
