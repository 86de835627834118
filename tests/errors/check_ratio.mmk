// More than every element cannot be wrong.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  check { max_error_ratio = 1.5; }
}
