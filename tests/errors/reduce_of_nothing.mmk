// A product reduces K in the matrix unit; `reduce` is about rows.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = a @ b;
  schedule { reduce K = two_pass; }
}
