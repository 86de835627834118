// Only operands of a product have panels.
kernel gemm(a: f16[M, K], b: f16[K, N], bias: f32[N]) -> c: f32[M, N] {
  c = a @ b + bias;
  schedule {
    keep = C(512);
  }
}
