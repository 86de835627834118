// Two cases share a name.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  case S { M = 1; K = 1; N = 1; }
  case S { M = 2; K = 2; N = 2; }
}
