// A result is written, not read.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N], d: f32[M, N] {
  c = a @ b;
  d = c + 1;
}
