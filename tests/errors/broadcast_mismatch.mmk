// A bias for each row must be a column.
kernel gemm(a: f16[M, K], b: f16[K, N], bias: f32[M]) -> c: f32[M, N] {
  c = a @ b + bias;
}
