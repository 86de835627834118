// The kernel has no such dimension.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  case S { M = 64; K = 64; N = 64; P = 64; }
}
