// A case binds numbers, not expressions.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  case S { M = 2 * 64; K = 64; N = 64; }
}
