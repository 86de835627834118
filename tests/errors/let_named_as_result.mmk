// The result is assigned, not defined.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  let c = a @ b;
}
