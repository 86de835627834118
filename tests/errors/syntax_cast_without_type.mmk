// A cast needs a type to cast to.
kernel gemm(a: f16[M, K], b: f16[K, N]) -> c: f32[M, N] {
  c = cast(a @ b);
}
