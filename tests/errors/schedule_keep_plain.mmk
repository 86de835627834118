// The size of a panel depends on its depth, which must be given.
kernel gemm(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = a @ b + bias;
  schedule {
    keep = A;
  }
}
