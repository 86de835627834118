// A tensor is data, not a number.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  case S { M = 64; K = 64; N = 64; a = 1; }
}
